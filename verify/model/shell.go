package model

import "bunraku/verify/fs"

// readCommand reads a command as a program.
func (b *builder) readCommand(command, cwd string) (fs.Expr, bool) { return nil, false }

// readTest reads a command as a test.
func (b *builder) readTest(command, cwd string) (fs.Pred, bool) { return nil, false }
