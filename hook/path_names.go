package hook

import (
	"encoding/json"
	"errors"
	"net/url"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"unicode/utf8"
)

// Bounds of what is looked through for the files of one call. A guard of paths
// cannot be asked about a call that has more.
const (
	maxPathValues = 1 << 16
	maxPathNames  = 4096
	maxPathBytes  = 256 << 10 // of all names
	maxPathDepth  = 64
)

// errManyFiles is why a guard of paths cannot judge a call.
var errManyFiles = errors.New("the call names too many files, or hides them among too many values, to look at each")

// fileNames are the files of the call as the agent names them. An error says why
// there may be more.
func (k *known) fileNames() ([]string, error) {
	var r nameReader
	for _, key := range [...]string{"file_path", "path", "notebook_path"} {
		if name, ok := k.text(key); ok {
			r.add(name)
		}
	}
	input := k.input
	if p, ok := k.payload.(*map[string]any); ok { // an agent's own event
		input = *p
	}
	r.object(input, noName, 0)
	if r.over {
		return r.names, errManyFiles
	}
	return r.names, nil
}

// nameReader looks for names of files in the arguments of a call, in lists and
// objects too.
type nameReader struct {
	names  []string
	values int // looked at
	bytes  int // of names
	over   bool

	unpatched bool // patches are not looked into
}

// naming is what an argument's key says of its value.
type naming uint8

const (
	noName    naming = iota
	wrapped          // arguments, which may be written as a text
	fileURL          // a URL, which may be that of a file
	patchText        // a patch
	likely           // a file, if it is written as a path
	someName         // a file, or a list of them
	anyName          // a file, however deep in the value
)

// add notes a name. over says that there were too many: then a guard has failed.
func (r *nameReader) add(name string) {
	if name == "" || slices.Contains(r.names, name) {
		return
	}
	if len(r.names) == maxPathNames || r.bytes+len(name) > maxPathBytes {
		r.over = true
		return
	}
	r.bytes += len(name)
	r.names = append(r.names, name)
}

// counts reports whether one value more may be looked at.
func (r *nameReader) counts(depth int) bool {
	r.values++
	r.over = r.over || r.values > maxPathValues || depth > maxPathDepth
	return !r.over
}

// object reads the members of an object, each by its key. A key can only widen what its
// parent said.
func (r *nameReader) object(o map[string]any, as naming, depth int) {
	for key, value := range o {
		r.value(value, max(as, namingOf(key)), depth+1)
	}
}

// value reads one value, however it is nested. Numbers and truth values name no file.
func (r *nameReader) value(value any, as naming, depth int) {
	if !r.counts(depth) {
		return
	}
	inner := as // of what is in an object
	if as != anyName {
		inner = noName
	}
	switch v := value.(type) {
	case string:
		if as != noName && r.written(v, as, depth) {
			return
		}
		if as >= someName || as == fileURL && isFileURL(v) || as == likely && looksLikePath(v) {
			r.add(v)
			r.listed(v)
		}
		if as == patchText && !r.unpatched {
			for _, p := range PatchedFiles(v) {
				r.add(p.Name)
			}
		}
	case []any:
		for _, element := range v {
			r.value(element, as, depth+1)
		}
	case map[string]any:
		if as >= someName {
			r.keys(v)
			if name, ok := v["name"].(string); ok { // {"files": [{"name": "a"}]}
				r.add(name)
			}
		}
		r.object(v, inner, depth)
	default:
		r.other(reflect.ValueOf(value), as, inner, depth)
	}
}

// written reads a list or an object that is written as a text, as some agents send those
// and some servers of tools read them. It reports false of any other text. What is too long
// to be read counts as names that nobody knows: a guard of paths then fails closed.
func (r *nameReader) written(text string, as naming, depth int) bool {
	text = strings.TrimSpace(text)
	if text == "" || text[0] != '[' && text[0] != '{' {
		return false
	}
	if len(text) > maxPathBytes {
		r.over = true
		return true
	}
	var value any
	if json.Unmarshal([]byte(text), &value) != nil {
		return false
	}
	if as >= someName {
		r.add(text) // a file may be called so
	}
	r.value(value, as, depth+1)
	return true
}

// listed are names that are written as one text with commas or ends of lines.
func (r *nameReader) listed(text string) {
	if !strings.ContainsAny(text, ",\n") || isFileURL(text) {
		return
	}
	for _, one := range strings.FieldsFunc(text, func(c rune) bool { return c == ',' || c == '\n' }) {
		r.add(strings.TrimSpace(one))
	}
}

// keys are names, where an object has what belongs to each file under its name, as in
// {"src/a.go": "package a"}: no key that only says what a value is has such signs in it.
func (r *nameReader) keys(o map[string]any) {
	for key := range o {
		if strings.ContainsAny(key, `/\.`) {
			r.add(key)
		}
	}
}

// other looks into what programs in Go give as arguments.
func (r *nameReader) other(v reflect.Value, as, inner naming, depth int) {
	switch v.Kind() {
	case reflect.String:
		if v.Type().PkgPath() != "encoding/json" { // a number
			r.value(v.String(), as, depth)
		}
	case reflect.Slice, reflect.Array:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return
		}
		for i := range v.Len() {
			r.value(v.Index(i).Interface(), as, depth+1)
		}
	case reflect.Map:
		if v.Type().Key().Kind() != reflect.String {
			return
		}
		for all := v.MapRange(); all.Next(); {
			r.value(all.Value().Interface(), max(inner, namingOf(all.Key().String())), depth+1)
		}
	}
}

// longestKey bounds the keys that name files.
const longestKey = 64

// namingOf says what a key says of its value: agents, and above all the tools of
// MCP servers, write one name in many ways, and some read it in any. The last word of
// a key tells: sourceFile and target_path are names of files, fileSize is none. A key
// that may name anything, as "to", counts only where its value is written as a path.
func namingOf(key string) naming {
	if len(key) > longestKey {
		return noName
	}
	var buf [longestKey]byte
	word, last := buf[:0], 0
	lower := false
	for _, c := range key {
		if c == '_' || c == '-' || c == ' ' || lower && c >= 'A' && c <= 'Z' {
			last = len(word) // here a word of the key begins
		}
		lower = c >= 'a' && c <= 'z'
		switch {
		case c == '_', c == '-', c == ' ':
		case c >= 'A' && c <= 'Z':
			word = append(word, byte(c)+'a'-'A')
		case c < utf8.RuneSelf:
			word = append(word, byte(c))
		case c == 'ſ': // encoding/json folds these two
			word = append(word, 's')
		case c == '\u212a':
			word = append(word, 'k')
		default:
			return noName
		}
	}
	for _, end := range [...]string{"path", "paths", "directory", "directories"} {
		if strings.HasSuffix(string(word), end) { // filePath, target_directory
			return anyName
		}
	}
	for _, end := range [...]string{"patch", "diff", "patches", "diffs", "patchtext", "difftext", "patchcontent"} {
		if string(word[last:]) == end || string(word) == end {
			return patchText
		}
	}
	switch string(word[last:]) {
	case "file", "files", "filename", "filenames", "pathname", "dir", "dirs", "folder", "folders", "document", "documents", "attachment", "attachments":
		return someName
	case "from", "to", "target", "targets", "root", "output", "outputs", "inputs", "as", "dest", "name", "item", "items", "location", "key", "link":
		if last > 0 || string(word) != "name" && string(word) != "as" {
			return likely
		}
	}
	switch string(word) {
	case "file", "files", "filename", "filenames", "targetfile", "source", "sources", "destination", "destinations",
		"dir", "dirs", "folder", "folders", "src", "dst", "include", "includes": // include: read_many_files of Gemini CLI
		return someName
	case "url", "urls", "uri", "uris":
		return fileURL
	case "args", "arguments", "input", "toolinput", "params", "parameters", "options", "request":
		return wrapped
	}
	return noName
}

// looksLikePath reports whether a text is written as the path of a file, and as nothing else.
func looksLikePath(text string) bool {
	text = strings.TrimSpace(text)
	return strings.ContainsAny(text, `/\~`) && !strings.ContainsAny(text, "\n<>\"") && (!strings.Contains(text, "://") || isFileURL(text))
}

// FileNames are the files that the arguments of a tool name, as they are written there; of
// those in patches see [PatchedFiles]. An error says that there may be more: a guard
// that must not miss one fails closed then, by the policy of its hook. Names are not
// made absolute, and the same one may be there twice.
func FileNames(input map[string]any) ([]string, error) {
	r := nameReader{unpatched: true}
	r.object(input, noName, 0)
	if r.over {
		return r.names, errManyFiles
	}
	return r.names, nil
}

// NamesFile reports whether an argument of a tool names a file, by its key and what it says.
func NamesFile(key, value string) bool {
	as := namingOf(key)
	return as >= someName || as == likely && looksLikePath(value) || as == fileURL && isFileURL(value)
}

// isFileURL reports whether a text is the URL of a file, as URLs are read: in any
// case, and with breaks of lines that do not count.
func isFileURL(text string) bool {
	_, ok := cutFileScheme(text)
	return ok
}

// cutFileScheme gives what follows "file:". It reads as browsers do: without control
// characters before, and without tabs and line ends inside.
func cutFileScheme(text string) (rest string, ok bool) {
	text = strings.TrimLeft(text, "\x00\x01\x02\x03\x04\x05\x06\x07\b\t\n\v\f\r\x0e\x0f\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f ")
	if text == "" || text[0]|0x20 != 'f' {
		return "", false
	}
	text = strings.NewReplacer("\t", "", "\n", "", "\r", "").Replace(text)
	const scheme = "file:"
	if len(text) < len(scheme) || !strings.EqualFold(text[:len(scheme)], scheme) {
		return "", false
	}
	return text[len(scheme):], true
}

// URLFiles are the files that a file: URL may mean; none of another text.
func URLFiles(text string) []string { return urlFiles(text) }

// urlFiles are the files that a file: URL may mean: readers differ in whether they
// take off a query, and what they make of the escapes and of a host.
func urlFiles(text string) []string {
	rest, ok := cutFileScheme(text)
	if !ok {
		return nil
	}
	rest = strings.ReplaceAll(rest, `\`, "/")
	if after, ok := strings.CutPrefix(rest, "//"); ok {
		if slash := strings.IndexByte(after, '/'); slash >= 0 {
			after = after[slash:]
		} else if after = unescape(after); !strings.HasPrefix(after, "/") { // that is a host
			return nil
		}
		rest = after
	}
	whole := rest
	if at := strings.IndexAny(rest, "?#"); at >= 0 {
		whole = rest[:at]
	}
	var files []string
	for _, path := range []string{whole, rest} {
		for _, reading := range []string{unescape(path), path} {
			if runtime.GOOS == "windows" {
				reading = strings.TrimLeft(reading, "/")
			}
			if reading != "" && !slices.Contains(files, reading) {
				files = append(files, reading)
			}
		}
	}
	return files
}

// unescape reads the escapes of a URL; what is none stays.
func unescape(text string) string {
	if plain, err := url.PathUnescape(text); err == nil {
		return plain
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if i+3 <= len(text) && text[i] == '%' {
			if plain, err := url.PathUnescape(text[i : i+3]); err == nil {
				b.WriteString(plain)
				i += 2
				continue
			}
		}
		b.WriteByte(text[i])
	}
	return b.String()
}
