/// The shape of a host's name or address. Whether it exists is the resolver's business.
enum HostName {
    static func isValid(_ text: String) -> Bool { false }
    static func isIPv4(_ text: String) -> Bool { false }
}
