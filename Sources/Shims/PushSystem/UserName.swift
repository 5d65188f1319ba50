internal import Glibc

/// The name of a user on this machine, and the sudo command that runs as this user.
package enum UserName {
    /// Returns the user's name, or the user's number if it has no name.
    package static func of(_ user: UInt32) -> String {
        var entry = unsafe passwd()
        var found: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: 16 << 10)
        let error = unsafe getpwuid_r(user, &entry, &buffer, buffer.count, &found)
        guard unsafe error == 0 && found != nil, let name = unsafe entry.pw_name else {
            return "\(user)"
        }
        return unsafe String(cString: name)
    }

    /// Returns a command line, for an operator, that executes another command as a user.
    package static func sudo(as user: UInt32, _ command: String) -> String {
        let name = of(user)
        // sudo(8) takes a user without a name as #UID.
        return "sudo -u \(name.allSatisfy(\.isNumber) ? "'#\(name)'" : name) \(command)"
    }
}
