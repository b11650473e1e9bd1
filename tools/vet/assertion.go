package main

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// mostConditions is how many conditions one assertion of a test may have: of more,
// its message cannot say which one failed.
const mostConditions = 3

// assertion finds tests that fail for one of many reasons.
var assertion = &analysis.Analyzer{
	Name: "assertion",
	Doc:  "an if of a test that reports a failure has at most three conditions",
	Run: func(pass *analysis.Pass) (any, error) {
		for _, file := range pass.Files {
			if !strings.HasSuffix(pass.Fset.Position(file.Pos()).Filename, "_test.go") {
				continue
			}
			ast.Inspect(file, func(n ast.Node) bool {
				if i, ok := n.(*ast.IfStmt); ok && fails(i.Body) {
					if c := conditions(i.Cond); c > mostConditions {
						pass.Reportf(i.Pos(), "this assertion has %d conditions; split it into some of at most %d, each with what it got and wanted", c, mostConditions)
					}
				}
				return true
			})
		}
		return nil, nil
	},
}

// conditions counts what && and || join.
func conditions(e ast.Expr) int {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return conditions(e.X)
	case *ast.UnaryExpr:
		if e.Op == token.NOT {
			return conditions(e.X)
		}
	case *ast.BinaryExpr:
		if e.Op == token.LAND || e.Op == token.LOR {
			return conditions(e.X) + conditions(e.Y)
		}
	}
	return 1
}

// fails reports whether one of the statements of a block itself fails the test.
func fails(b *ast.BlockStmt) bool {
	for _, s := range b.List {
		if x, ok := s.(*ast.ExprStmt); ok {
			if call, ok := x.X.(*ast.CallExpr); ok {
				if f, ok := call.Fun.(*ast.SelectorExpr); ok && slices.Contains([]string{"Error", "Errorf", "Fatal", "Fatalf"}, f.Sel.Name) {
					return true
				}
			}
		}
	}
	return false
}
