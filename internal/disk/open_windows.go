package disk

// withoutWaiting is nothing here: no pipe has the name of a file.
const withoutWaiting = 0
