internal import Glibc

/// The name of a user on this machine.
package enum UserName {
    /// Returns the name; the number if there is none.
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
}
