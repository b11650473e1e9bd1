// Package desk hands out messages to programs that come for them with one request at
// a time, and hold nothing of hookway's in between: those that speak HTTP.
//
// A program takes what waits for an agent's name, and says later what it has got. Until
// then the messages are its own for a time, the lease. When that is over, or the daemon
// has ended, they are given out again, marked as what may be a repeat: so none is lost
// with a program that dies.
//
// Each request that is given something has a seat at the inbox, of one session for all
// that ask under a name, and the seat is kept until the last of its messages is
// confirmed. At the end of a lease it is closed; what it has begun is then that of a seat
// that has died, which the store gives out again. While a message is not confirmed, the
// later ones of its sender wait: that keeps their order.
package desk
