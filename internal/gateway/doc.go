// Package gateway takes in what services outside send: a request to a named
// mapping becomes a message to an agent, or an event for hooks.
//
// A mapping has a secret of its own, so that an outside service needs no token of
// the daemon. What it sends is data: it fills the templates that the user wrote,
// and decides nothing else.
//
// # What a request goes through
//
// The mapping is found, by its whole name. The caller is checked: a token, or a
// signature of the body. Then comes the rate, so that a stranger uses up no caller's
// share. Then the body is read, within bounds of size, depth and form, and compared
// with the mapping's filter. A request with a key that was answered already gets
// that answer again. Only then is a message sent, or an event fired.
//
// # What is kept
//
// The answers to requests with a key, for a day, in a file of the state folder: a
// service that does not hear the answer sends the same again, maybe to the next
// daemon. The id of a message is written down before it is sent, so that a try
// after a crash is the same message, which is kept once.
package gateway
