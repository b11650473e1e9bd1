module github.com/hookway/hookway

go 1.26.0

require (
	github.com/creack/pty v1.1.24 // indirect
	golang.org/x/sys v0.49.0 // indirect
	golang.org/x/term v0.47.0 // indirect
)
