package facts

// Most programs have a way of their own to be called, and what each does stands in methods of
// its kind of call. A kind is a view of the same call and has nothing of its own: c.git() is
// the call c as one of git.

// gitCall is a call of git.
type gitCall struct{ *call }

// sshCall is a call of ssh, or of a program that reaches a host through it.
type sshCall struct{ *call }

// tableCall is a call of a program that the table of programs describes.
type tableCall struct{ *call }

// textCall is a call of a program that prints, searches or changes text.
type textCall struct{ *call }

// builtinCall is a call of what the shell does by itself, or of a program that tells of the
// machine.
type builtinCall struct{ *call }

// eachCall is a call of a program that runs another one for each thing that it finds or
// reads.
type eachCall struct{ *call }

// netCall is a call that may connect to a host.
type netCall struct{ *call }

// langCall is a call that runs code: of its arguments, of a file, or of what it reads.
type langCall struct{ *call }

// buildCall is a call of a program that builds or installs, as files of the project say.
type buildCall struct{ *call }

// serviceCall is a call about something that another service keeps: a cloud, a forge, a
// store, a container.
type serviceCall struct{ *call }

func (c *call) git() gitCall         { return gitCall{c} }
func (c *call) ssh() sshCall         { return sshCall{c} }
func (c *call) table() tableCall     { return tableCall{c} }
func (c *call) text() textCall       { return textCall{c} }
func (c *call) builtin() builtinCall { return builtinCall{c} }
func (c *call) each() eachCall       { return eachCall{c} }
func (c *call) net() netCall         { return netCall{c} }
func (c *call) lang() langCall       { return langCall{c} }
func (c *call) build() buildCall     { return buildCall{c} }
func (c *call) service() serviceCall { return serviceCall{c} }

// ofKind makes the methods of a kind of call those that the programs of these names need.
func ofKind[T ~struct{ *call }](programs map[string]func(T) values) {
	for name, run := range programs {
		special[name] = func(c *call) values { return run(T(struct{ *call }{c})) }
	}
}
