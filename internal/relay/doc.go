// Package relay keeps the messages that agents send each other.
package relay
