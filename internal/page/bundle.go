package page

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"path"
	"strings"
	"sync"
)

//go:embed dist
var dist embed.FS

// file is one of the bundle, as it is served.
type file struct {
	contentType string
	text        []byte
	tag         string // for If-None-Match
}

// contentTypes are those of the files that there may be.
var contentTypes = map[string]string{
	".html": "text/html; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".svg":  "image/svg+xml",
}

// bundleMark stands in index.html for the name of the bundle.
const bundleMark = "%BUNDLE%"

// bundle is the page: files by the paths that they are asked for with, and a name that is
// another one when any of them is.
type bundle struct {
	name  string
	files map[string]file
}

// theBundle is read when the page is first asked for.
var theBundle = sync.OnceValue(func() *bundle {
	root, err := fs.Sub(dist, "dist")
	if err != nil {
		panic(err) // it is a part of the program
	}
	b, err := readBundle(root)
	if err != nil {
		panic(err)
	}
	return b
})

// Bundle is the name of the bundle that this program has.
func Bundle() string { return theBundle().name }

func readBundle(root fs.FS) (*bundle, error) {
	names, err := fs.Glob(root, "*")
	if err != nil {
		return nil, err
	}
	texts, all := map[string]string{}, sha256.New()
	for _, name := range names { // sorted
		text, err := fs.ReadFile(root, name)
		if err != nil {
			return nil, err
		}
		texts[name] = string(text)
		all.Write([]byte(name + "\x00"))
		all.Write(text)
	}
	b := &bundle{name: hex.EncodeToString(all.Sum(nil))[:16], files: map[string]file{}}
	for name, text := range texts {
		if name == "index.html" {
			text = strings.ReplaceAll(text, bundleMark, b.name)
			b.files["/"] = fileOf(name, text)
		}
		b.files["/"+name] = fileOf(name, text)
	}
	return b, nil
}

func fileOf(name, text string) file {
	sum := sha256.Sum256([]byte(text))
	return file{contentType: contentTypes[path.Ext(name)], text: []byte(text), tag: `"` + hex.EncodeToString(sum[:16]) + `"`}
}
