package relay

// Refused reports an error that another try does not mend: the receiver is unknown,
// a limit is reached, the message cannot be kept. After others one may try again.
func Refused(err error) bool { return isRefusal(err) }
