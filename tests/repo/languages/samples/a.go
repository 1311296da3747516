package main

import (
	"fmt"
	x "example.com/pkg/sub"
)

// Box holds.
type Box struct { size int }
type Shape interface { Area() int }
type ID = string
const Limit = 3
var Name, Other = "a", 2
// Go does.
func (b *Box) Go(a int) (string, error) { return fmt.Sprint(a), nil }
func Run[T any](x T) {}
