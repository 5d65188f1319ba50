internal import Glibc
package import PushModel
internal import Synchronization

/// This machine's time zones: files of the time zone database. Read here by hand, because Foundation knows
/// no zone but UTC in a program that is linked statically.
package enum SystemZones {
    private static let folder = "/usr/share/zoneinfo/"
    /// No zone has a longer name.
    private static let longestName = 64

    private static let memory = Mutex(ZoneMemory())

    /// The zone of this name, such as `Europe/Paris`; nil: there is none. Reads a file at most once a minute
    /// for each name: names are what devices say, and invented ones are not to cost more than others.
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
        // Also where no database is installed.
        return name == "UTC" ? .utc : nil
    }

    /// A name and no way to another folder.
    private static func isName(_ name: some StringProtocol) -> Bool {
        let bytes = name.utf8
        return (1...longestName).contains(bytes.count) && bytes.first != UInt8(ascii: "/")
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

    /// The name of the zone that this machine's clocks on the wall show: by `TZ`, else by what
    /// `/etc/localtime` is a link to; `UTC` where neither names one.
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
