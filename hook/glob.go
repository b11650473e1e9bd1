package hook

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// Glob is a compiled path pattern:
//
//   - '*' matches any characters but '/', and '?' one such character
//   - '[ab]' matches one of a set, '[!ab]' one that is not in it
//   - '{a,b}' matches either, and may be nested
//   - '**' matches any number of folders, also none
//   - a pattern without '/' matches the last element at any depth: "*.rs", ".env"
//   - a trailing '/' means everything below the folder
//   - a leading "~/", or "~" alone, is the home folder
//
// Patterns that do not begin with '/' or '**' match only below the root. A Glob is
// immutable and may be used from many goroutines.
type Glob struct{ alternatives []globPath }

// globPath is a pattern without braces.
type globPath struct {
	segments []string
	base     bool // no '/': only the last element counts
	absolute bool
}

// maxAlternatives bounds what braces may expand to.
const maxAlternatives = 64

// CompileGlob compiles a pattern. The error says what is wrong and what to write
// instead; a leading '!' is one, because it would not negate.
func CompileGlob(pattern string) (*Glob, error) {
	if pattern == "" {
		return nil, errors.New("an empty pattern matches nothing; leave the field out to match all")
	}
	if strings.HasPrefix(pattern, "!") {
		return nil, fmt.Errorf("glob %q: a leading '!' does not negate; put the pattern under \"not:\"", pattern)
	}
	text := filepath.ToSlash(pattern)
	if text == "~" || strings.HasPrefix(text, "~/") {
		home, err := os.UserHomeDir()
		if err != nil {
			return nil, fmt.Errorf("glob %q: %w", pattern, err)
		}
		text = filepath.ToSlash(home) + text[1:]
	}
	text = strings.TrimPrefix(text, "./")
	if strings.HasSuffix(text, "/") {
		text += "**" // a folder means what is in it
	}
	expanded, err := expandBraces(text)
	if err != nil {
		return nil, fmt.Errorf("glob %q: %w", pattern, err)
	}
	g := new(Glob)
	for _, alternative := range expanded {
		segments := strings.Split(strings.TrimPrefix(alternative, "/"), "/")
		for i, s := range segments {
			segments[i] = strings.ReplaceAll(s, "[!", "[^")
			if _, err := path.Match(segments[i], ""); err != nil {
				return nil, fmt.Errorf("glob %q: %w", pattern, err)
			}
		}
		absolute := isAbs(alternative)
		base := len(segments) == 1 && !absolute && segments[0] != "**"
		g.alternatives = append(g.alternatives, globPath{segments, base, absolute})
	}
	return g, nil
}

// isAbs also takes a drive letter, so that patterns mean the same everywhere.
func isAbs(p string) bool {
	return strings.HasPrefix(p, "/") || len(p) > 2 && p[1] == ':' && p[2] == '/'
}

// Match reports whether a clean, slash-separated path matches. The path is
// relative to the root, or absolute if it lies outside.
func (g *Glob) Match(p string) bool {
	for i := range g.alternatives {
		if g.alternatives[i].match(p) {
			return true
		}
	}
	return false
}

// matchFile is Match for a file in both of its forms: an absolute pattern means
// the absolute one, also below the root.
func (g *Glob) matchFile(f filePath) bool {
	for i := range g.alternatives {
		a := &g.alternatives[i]
		p := f.rel
		if a.absolute || p == "" {
			p = f.abs
		}
		if a.match(p) {
			return true
		}
	}
	return false
}

// match reports whether a path matches. A pattern without a slash is about the last segment,
// wherever that lies; a relative one matches no absolute path, unless it begins with **.
func (a *globPath) match(p string) bool {
	if a.base {
		ok, _ := path.Match(a.segments[0], path.Base(p))
		return ok
	}
	if a.absolute != isAbs(p) && a.segments[0] != "**" {
		return false
	}
	return matchSegments(a.segments, strings.Split(strings.TrimPrefix(p, "/"), "/"))
}

// matchSegments walks pattern and path together. Only the last "**" seen needs
// to be tried again, so the time is bounded by the product of the lengths.
func matchSegments(pattern, parts []string) bool {
	pi, si := 0, 0
	retryP, retryS := -1, 0
	for si < len(parts) {
		switch {
		case pi < len(pattern) && pattern[pi] == "**":
			retryP, retryS = pi, si
			pi++
			continue
		case pi < len(pattern):
			if ok, _ := path.Match(pattern[pi], parts[si]); ok {
				pi, si = pi+1, si+1
				continue
			}
		}
		if retryP < 0 {
			return false
		}
		retryS++
		pi, si = retryP+1, retryS
	}
	for pi < len(pattern) && pattern[pi] == "**" {
		pi++
	}
	return pi == len(pattern)
}

// expandBraces writes {a,b} out, nested ones too.
func expandBraces(s string) ([]string, error) {
	open := strings.IndexByte(s, '{')
	if open < 0 {
		if strings.IndexByte(s, '}') >= 0 {
			return nil, errors.New("a '}' has no '{'")
		}
		return []string{s}, nil
	}
	depth, start, end := 0, open+1, -1
	var choices []string
scan:
	for i := open; i < len(s); i++ {
		switch s[i] {
		case '{':
			depth++
		case ',':
			if depth == 1 {
				choices = append(choices, s[start:i])
				start = i + 1
			}
		case '}':
			if depth--; depth == 0 {
				choices = append(choices, s[start:i])
				end = i
				break scan
			}
		}
	}
	if end < 0 {
		return nil, errors.New("a '{' is not closed")
	}
	var out []string
	for _, choice := range choices {
		rest, err := expandBraces(s[:open] + choice + s[end+1:])
		if err != nil {
			return nil, err
		}
		if out = append(out, rest...); len(out) > maxAlternatives {
			return nil, fmt.Errorf("its braces expand to more than %d patterns", maxAlternatives)
		}
	}
	return out, nil
}

// nameGlob matches names, in which '/' is a character like any other.
type nameGlob []string

// compileName compiles a pattern of names, in which braces are alternatives.
func compileName(pattern string) (nameGlob, error) {
	if strings.HasPrefix(pattern, "!") {
		return nil, fmt.Errorf("glob %q: a leading '!' does not negate; put the pattern under \"not:\"", pattern)
	}
	expanded, err := expandBraces(pattern)
	if err != nil {
		return nil, fmt.Errorf("glob %q: %w", pattern, err)
	}
	for i, s := range expanded {
		expanded[i] = flat(strings.ReplaceAll(s, "[!", "[^"))
		if _, err := path.Match(expanded[i], ""); err != nil {
			return nil, fmt.Errorf("glob %q: %w", pattern, err)
		}
	}
	return expanded, nil
}

// match reports whether one of the alternatives matches a whole name.
func (g nameGlob) match(name string) bool {
	for _, pattern := range g {
		if ok, _ := path.Match(pattern, flat(name)); ok {
			return true
		}
	}
	return false
}

// flat hides slashes from path.Match, for which they end a '*'.
func flat(s string) string { return strings.ReplaceAll(s, "/", "\x00") }

// hasMeta reports whether a list has patterns, and not only names.
func hasMeta(list []string) bool {
	for _, s := range list {
		if strings.ContainsAny(s, `*?[{\!`) {
			return true
		}
	}
	return false
}
