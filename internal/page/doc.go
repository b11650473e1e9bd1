// Package page serves the page on which a person sees what their agents do: a bundle
// that is part of the program, and behind a login the daemon's API.
//
// A [Handler] answers. Who comes in there may be any program of this machine, and any
// page in the owner's browser. So each request must name this machine as its host; what a
// page of another origin sent is refused; and the API is passed on only to who has both
// halves of a session, a cookie and a token. A session begins with a link that the owner
// made in a terminal of their own, which is good once and for two minutes.
//
// A [Listener] is the port: it is not open before the page is used.
package page
