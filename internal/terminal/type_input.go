package terminal

// Input is how a program's terminal handles what is typed, at one moment.
type Input struct {
	Lines  bool // the terminal collects whole lines for the program
	Echo   bool // the terminal prints what is typed
	Unread int  // bytes that the program has not read; unfinished lines aside

	// Gone says that the terminal tells nothing any more: its program has ended, or
	// is just ending. What it has not read is lost.
	Gone bool

	// Front is the command line of the program in the foreground, if that is not
	// the one that was started, as when a shell runs another. It is just the
	// empty string where the system does not tell which it is.
	Front []string

	// Leader is the command line of the program that was started, which may have
	// become another one since; nil where the system does not tell.
	Leader []string
}

// Input looks at the program's terminal. After the program's end it is gone.
func (p *Program) Input() Input {
	if p.intake == nil {
		return Input{Gone: true}
	}
	return p.intake()
}
