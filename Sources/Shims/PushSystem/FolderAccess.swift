internal import Glibc

/// Determines which users, other than the user of this process, may write to a folder.
package enum FolderAccess {
    /// Returns a description that follows "can be written by"; `nil` if no other user except root can write
    /// to the folder, or if the folder cannot be examined.
    /// - Parameter ownerServes: Whether the service runs as the folder's owner and not as the user of this
    ///   process.
    package static func otherWriters(of folder: String, ownerServes: Bool = false) -> String? {
        var facts = stat()
        guard unsafe stat(folder, &facts) == 0 else { return nil }
        if facts.st_mode & S_IWOTH != 0 { return "everyone" }
        if !ownerServes, facts.st_uid != 0, facts.st_uid != geteuid() {
            return "user \(UserName.of(facts.st_uid))"
        }
        let group = groupName(facts.st_gid)
        // On systems where each user has a group of the same name, this group has no other members.
        guard facts.st_mode & S_IWGRP != 0, facts.st_gid != 0, group != UserName.of(facts.st_uid) else {
            return nil
        }
        return "group \(group)"
    }

    /// Returns one line, for an operator, that states a problem with an instance's folder, and the remedy;
    /// `nil` if there is no problem.
    /// - Parameters:
    ///   - path: The common prefix of the instance's file paths.
    ///   - ownerServes: See ``otherWriters(of:ownerServes:)``.
    package static func warning(ofInstanceAt path: String, ownerServes: Bool = false) -> String? {
        let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
        let folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        return otherWriters(of: folder, ownerServes: ownerServes).map { writers in
            "the instance folder \(folder) is writable by \(writers), who could replace the store, its key "
                + "and the control socket: as the folder's owner, run chmod go-w \(folder); if the folder "
                + "belongs to another user, run chown first"
        }
    }

    private static func groupName(_ number: UInt32) -> String {
        var entry = unsafe group()
        var found: UnsafeMutablePointer<group>?
        var buffer = [CChar](repeating: 0, count: 16 << 10)
        let error = unsafe getgrgid_r(number, &entry, &buffer, buffer.count, &found)
        guard unsafe error == 0 && found != nil, let name = unsafe entry.gr_name else { return "\(number)" }
        return unsafe String(cString: name)
    }
}
