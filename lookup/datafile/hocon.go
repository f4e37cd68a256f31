package datafile

import "bunraku/source"

func ReadHOCON(f *source.File) (*Node, error) { return ReadJSON(f) }
