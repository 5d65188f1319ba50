/// What an operator can do when a process has no descriptor left (EMFILE, ENFILE).
package enum OpenFileLimit {
    package static let advice = "raise LimitNOFILE= of the service, or ulimit -n"
}
