package shell

import (
	"slices"
	"strings"
)

// pulls are the modules of the standard library that others of it load, as Python 3.11
// has them; those that these load are added. A file that is named as one of them, where
// Python looks first, is loaded in its place.
var pulls = map[string]string{
	"argparse":        "gettext re warnings",
	"ast":             "contextlib enum",
	"asyncio":         "_asyncio _contextvars concurrent contextvars heapq inspect ssl subprocess typing",
	"base64":          "binascii re struct",
	"bisect":          "_bisect",
	"bz2":             "_bz2 _compression",
	"calendar":        "datetime locale",
	"cmd":             "string",
	"code":            "codeop traceback",
	"codeop":          "__future__ warnings",
	"collections":     "keyword operator reprlib",
	"concurrent":      "logging",
	"configparser":    "re warnings",
	"contextlib":      "functools",
	"copy":            "_weakrefset copyreg types weakref",
	"csv":             "_csv re",
	"ctypes":          "_ctypes struct types",
	"dataclasses":     "copy inspect",
	"datetime":        "_datetime math operator",
	"decimal":         "_decimal collections numbers",
	"difflib":         "heapq re",
	"enum":            "functools",
	"filecmp":         "types",
	"fileinput":       "types",
	"fnmatch":         "re",
	"fractions":       "decimal math re",
	"functools":       "collections types",
	"getopt":          "gettext re",
	"getpass":         "contextlib termios warnings",
	"glob":            "contextlib fnmatch",
	"gzip":            "_compression struct zlib",
	"hashlib":         "_blake2 _hashlib",
	"heapq":           "_heapq",
	"hmac":            "hashlib warnings",
	"html":            "re",
	"http":            "calendar copy email html mimetypes quopri random shutil socketserver ssl string threading",
	"importlib":       "contextlib warnings",
	"inspect":         "_opcode ast dis importlib linecache opcode",
	"json":            "_json re",
	"linecache":       "tokenize",
	"locale":          "re",
	"logging":         "string threading traceback warnings weakref",
	"lzma":            "_compression _lzma",
	"mimetypes":       "ipaddress re urllib warnings",
	"multiprocessing": "pickle signal socket threading",
	"netrc":           "shlex",
	"optparse":        "gettext locale textwrap",
	"pathlib":         "fnmatch ipaddress urllib warnings",
	"pickle":          "_compat_pickle _pickle re struct",
	"pkgutil":         "_weakrefset importlib typing weakref",
	"platform":        "re",
	"plistlib":        "binascii datetime pyexpat re struct xml",
	"pprint":          "dataclasses",
	"queue":           "_queue heapq threading",
	"random":          "_random _sha512 bisect math operator warnings",
	"re":              "copyreg enum",
	"runpy":           "importlib",
	"secrets":         "base64 hmac random",
	"shlex":           "re",
	"shutil":          "bz2 fnmatch lzma zlib",
	"signal":          "enum",
	"smtplib":         "calendar copy email hmac ipaddress quopri random ssl string urllib",
	"socket":          "_socket array enum math select selectors",
	"sqlite3":         "_sqlite3 datetime functools",
	"ssl":             "_ssl base64 socket warnings",
	"statistics":      "_statistics fractions random",
	"string":          "re",
	"struct":          "_struct",
	"subprocess":      "_posixsubprocess contextlib fcntl locale math select selectors signal threading warnings",
	"tarfile":         "copy grp shutil struct warnings",
	"tempfile":        "_weakrefset random shutil weakref",
	"textwrap":        "re",
	"threading":       "_weakrefset functools",
	"tokenize":        "re token",
	"tomllib":         "__future__ datetime string typing",
	"traceback":       "contextlib linecache textwrap",
	"typing":          "_typing contextlib re warnings",
	"unittest":        "argparse difflib fnmatch pprint signal traceback",
	"urllib":          "calendar contextlib email hashlib http ipaddress quopri ssl string tempfile",
	"uuid":            "_uuid platform",
	"webbrowser":      "shlex shutil subprocess",
	"xml":             "_elementtree contextlib copy pyexpat re warnings",
	"zipfile":         "binascii importlib pathlib shutil struct threading",
}

// withPulled adds to names of modules those that they load.
func withPulled(names []string) []string {
	for i := 0; i < len(names); i++ {
		top, _, _ := strings.Cut(names[i], ".")
		for _, name := range strings.Fields(pulls[top]) {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}
