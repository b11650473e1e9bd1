package relay

// Attach describes a file, for [Message.Attachments].
func Attach(path string) (Attachment, error) { return Attachment{}, errNotYet }
