package rpc

import "net"

// listenUnix makes a socket. Who may connect is what the folder says.
func listenUnix(path string) (net.Listener, error) { return net.Listen(unix, path) }
