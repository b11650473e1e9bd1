package where

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/file"

	"github.com/hookway/hookway/hook"
)

// functions are those of the language that make nothing larger than what they are
// given.
var functions = []string{
	"all", "any", "none", "one", "filter", "find", "count", "len", "first", "last", "keys", "values",
	"lower", "upper", "trim", "trimPrefix", "trimSuffix", "hasPrefix", "hasSuffix", "indexOf", "lastIndexOf", "abs", "int", "string",
}

// checker looks at each node of an expression: it refuses what is not bounded, and
// adds the counting of steps.
type checker struct {
	text         string
	facts, input bool
	err          *Error // the first
}

// Visit is called for each node, the inner ones first.
func (c *checker) Visit(node *ast.Node) {
	switch n := (*node).(type) {
	case *ast.IdentifierNode:
		c.facts = c.facts || n.Value == "facts"
		c.input = c.input || n.Value == "input"
		if n.Value == "$env" {
			c.fail(n, "$env is not offered here; there are "+strings.Join(names, ", "))
		}
	case *ast.BuiltinNode:
		if !slices.Contains(functions, n.Name) {
			c.fail(n, fmt.Sprintf("%s is not offered here; there are %s", n.Name, strings.Join(functions, ", ")))
		}
	case *ast.PredicateNode:
		n.Node = counted(n.Node)
	case *ast.BinaryNode:
		c.binary(node, n)
	}
}

func (c *checker) binary(node *ast.Node, n *ast.BinaryNode) {
	switch n.Operator {
	case "..":
		c.fail(n, "lists of numbers cannot be made here")
	case "+":
		if !isNumber(n.Left) && !isNumber(n.Right) {
			c.fail(n, "+ adds numbers; texts are not joined here")
		}
	case "==", "!=", "in":
		c.compared(n.Left, n.Right)
		c.compared(n.Right, n.Left)
		if !isLiteral(n.Left) && !isLiteral(n.Right) {
			c.count(node)
		}
	case "matches":
		if _, fixed := n.Right.(*ast.StringNode); !fixed {
			c.fail(n, "write the pattern of matches as a text")
		}
		c.count(node)
	case "contains":
		c.count(node)
	}
}

// compared checks the texts with which a member is compared that has a few words: one that
// is none of them is a slip of the pen, and would never hold.
func (c *checker) compared(member, with ast.Node) {
	m, ok := member.(*ast.MemberNode)
	if !ok {
		return
	}
	name, ok := m.Property.(*ast.StringNode)
	if !ok || m.Node.Type() != factType {
		return
	}
	list := []ast.Node{with}
	if array, ok := with.(*ast.ArrayNode); ok {
		list = array.Nodes
	}
	for _, one := range list {
		if s, ok := one.(*ast.StringNode); ok {
			if err := hook.CheckFactWord(name.Value, s.Value); err != nil {
				c.fail(one, err.Error())
			}
		}
	}
}

// count has a comparison counted that may have to look at long texts.
func (c *checker) count(node *ast.Node) {
	at := (*node).Location()
	*node = counted(*node)
	(*node).SetLocation(at)
}

// counted counts a step, and then does what the node does.
func counted(node ast.Node) ast.Node {
	call := &ast.CallNode{Callee: &ast.IdentifierNode{Value: stepName}, Arguments: []ast.Node{&ast.IdentifierNode{Value: stepsName}}}
	return &ast.SequenceNode{Nodes: []ast.Node{call, node}}
}

func isLiteral(n ast.Node) bool {
	switch n.(type) {
	case *ast.StringNode, *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.NilNode, *ast.ArrayNode:
		return true
	}
	return false
}

func isNumber(n ast.Node) bool {
	t := n.Type()
	return t != nil && (t.Kind() >= reflect.Int && t.Kind() <= reflect.Float64)
}

func (c *checker) fail(at ast.Node, message string) {
	if c.err != nil {
		return
	}
	e := &file.Error{Location: at.Location()}
	c.err = &Error{Column: column(e.Bind(file.NewSource(c.text))), Message: message}
}

// mistake is an error of the compiler in hookway's words.
func mistake(err error) error {
	var at *file.Error
	if !errors.As(err, &at) {
		return &Error{Message: plain(err.Error())}
	}
	message := plain(at.Message)
	if name, ok := strings.CutPrefix(message, "unknown name "); ok {
		message = fmt.Sprintf("unknown name %q; %s", name, hook.Meant(name, append(slices.Clone(names), functions...)))
	}
	if name, ok := strings.CutPrefix(message, "type fact has no field "); ok {
		message = fmt.Sprintf("a fact has no member %q; %s", name, hook.Meant(name, factMembers()))
	}
	return &Error{Column: column(at), Message: message}
}

// plain puts the names of types into words.
func plain(message string) string {
	message = strings.ReplaceAll(message, factsType.String(), "facts")
	message = strings.ReplaceAll(message, factType.String(), "fact")
	message = strings.ReplaceAll(message, factType.Elem().String(), "fact")
	return hook.LogLine(strings.ReplaceAll(message, "interface {}", "any"))
}
