/// How this host appears to others that share its store, and how fast they take turns.
package struct HostTerms: Sendable {
    /// As an operator calls the machine.
    package var name: String
    package var release: String
    package var times: HostLease.Times

    package init(name: String, release: String, times: HostLease.Times = .standard) {
        (self.name, self.release, self.times) = (name, release, times)
    }
}
