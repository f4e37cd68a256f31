// Package protocol holds the types of the Language Server Protocol that package lsp uses, and nothing else of it.
// types_gen.go is written from use.txt and the protocol's own description:
//
//	go generate ./lsp/protocol    with metaModel.json in $BUNRAKU_FETCHED
//
// It may import nothing of this module.
package protocol

//go:generate go run ./generate -model $BUNRAKU_FETCHED/metaModel.json
