/// The name and release that this host reports to the hosts that share its store, and the timing of
/// take-overs.
package struct HostOptions: Sendable {
    /// The operator's name for the machine.
    package var name: String
    package var release: String
    package var times: HostLease.Times

    package init(name: String, release: String, times: HostLease.Times = .standard) {
        (self.name, self.release, self.times) = (name, release, times)
    }
}
