internal import Glibc

/// The machine that a figure was measured on.
package enum Machine {
    package static var cores: Int { max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }

    package static var processor: String {
        for line in Folder.text("/proc/cpuinfo").split(separator: "\n") where line.hasPrefix("model name") {
            guard let colon = line.firstIndex(of: ":") else { continue }
            return String(line[line.index(after: colon)...].drop { $0 == " " })
        }
        return "unknown processor"
    }

    package static var memoryGigabytes: Int {
        Int((Double(sysconf(Int32(_SC_PHYS_PAGES))) * Double(sysconf(Int32(_SC_PAGESIZE))) / 1e9).rounded())
    }

    package static var system: String {
        for line in Folder.text("/etc/os-release").split(separator: "\n") where line.hasPrefix("PRETTY_NAME=")
        {
            return String(line.dropFirst(12).filter { $0 != "\"" })
        }
        return "Linux"
    }
}
