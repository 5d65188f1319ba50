internal import Glibc
package import PushModel
internal import Synchronization

/// This machine's time zones: files of the time zone database. They are read without Foundation, which knows
/// no zone but UTC in a statically linked program.
package enum SystemZones {
    private static let folder = "/usr/share/zoneinfo/"
    /// The maximum length of a name. No zone has a longer one.
    private static let maxNameLength = 64

    private static let memory = Mutex(ZoneMemory())

    /// Returns the zone with this name, such as `Europe/Paris`; `nil` if there is none. Reads a file at most
    /// once a minute for each name: devices supply the names, and invented names must not cost more than
    /// existing ones.
    package static func zone(named name: some StringProtocol) -> ZoneRules? {
        guard isName(name) else { return nil }
        let name = String(name)
        let now = ContinuousClock.now
        switch memory.withLock({ $0.zone(named: name, at: now) }) {
        case .zone(let rules): return rules
        case .none: return nil
        case .unknown: break
        }
        let rules = read(name)
        memory.withLock { $0.note(rules, named: name, at: now) }
        return rules
    }

    private static func read(_ name: String) -> ZoneRules? {
        if let bytes = try? FileContents.bytes(of: folder + name), let rules = ZoneRules(tzif: bytes) {
            return rules
        }
        // Available even if no database is installed.
        return name == "UTC" ? .utc : nil
    }

    /// Reports whether the text is a name that cannot lead to another folder.
    private static func isName(_ name: some StringProtocol) -> Bool {
        let bytes = name.utf8
        return (1...maxNameLength).contains(bytes.count) && bytes.first != UInt8(ascii: "/")
            && bytes.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"),
                    UInt8(ascii: "+"), UInt8(ascii: "/"):
                    true
                default: false
                }
            }
    }

    /// Returns the name of this machine's local time zone. The name comes from `TZ`, or otherwise from the
    /// target of the link `/etc/localtime`. It is `UTC` if neither names a zone.
    package static func localName() -> String {
        var names: [String] = []
        if let variable = unsafe getenv("TZ") {
            let text = unsafe String(cString: variable)
            names.append(text.hasPrefix(":") ? String(text.dropFirst()) : text)
        }
        if let path = unsafe realpath("/etc/localtime", nil) {
            let parts = unsafe String(cString: path).split(separator: "/")
            unsafe free(path)
            if let folder = parts.lastIndex(of: "zoneinfo") {
                names.append(parts[(folder + 1)...].joined(separator: "/"))
            }
        }
        return names.first { zone(named: $0) != nil } ?? "UTC"
    }
}
