/// How this host appears to others that share its store, and the timing with which they take over.
package struct HostOptions: Sendable {
    /// The operator's name for the machine.
    package var name: String
    package var release: String
    package var times: HostLease.Times

    package init(name: String, release: String, times: HostLease.Times = .standard) {
        (self.name, self.release, self.times) = (name, release, times)
    }
}
