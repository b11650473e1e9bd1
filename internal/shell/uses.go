package shell

// Program is one in another language than the shell's, to be read by [Reader].Code.
type Program struct {
	Language, Text string
	Path           string   // where it lies, or ""
	Args           []string // with which it is called, as far as they are known
}

// Use is one thing that a program does.
type Use struct {
	Kind  int      // a number of the kinds below
	Words []string // one, but for UseWords
	Known []bool   // which of them the program's text has
	Dir   string   // where a line or program runs, if the call says so
	Src   string   // as it is written
}

// What a program does with what it names.
const (
	UseModule = iota // it loads a module by its name
	UseNear          // it loads a file that is named from its own folder, perhaps without ending
	UseFile          // it loads a file that is named from where it runs
	UseFolder        // it looks for modules in a folder
	UseLine          // a shell runs a line
	UseWords         // it runs a program with arguments
	UseWrite         // it writes a file that it does not load here
	UseAway          // it goes to a folder
)

// word is one of a use, as an argument.
func (u Use) word(i int) arg {
	if i >= len(u.Words) || i >= len(u.Known) {
		return arg{src: u.Src}
	}
	return arg{value: value{text: u.Words[i]}, known: u.Known[i], src: u.Src}
}
