internal import Glibc

/// Who may write to a folder besides the user of this process.
package enum FolderAccess {
    /// In words, after "can be written by"; nil: nobody else but root, or the folder cannot be looked at.
    package static func otherWriters(of folder: String) -> String? {
        var facts = stat()
        guard unsafe stat(folder, &facts) == 0 else { return nil }
        if facts.st_mode & S_IWOTH != 0 { return "everyone" }
        if facts.st_uid != 0, facts.st_uid != geteuid() { return "user \(UserName.of(facts.st_uid))" }
        let group = groupName(facts.st_gid)
        // Where each user has a group of the same name, nobody else is in it.
        guard facts.st_mode & S_IWGRP != 0, facts.st_gid != 0, group != UserName.of(facts.st_uid) else {
            return nil
        }
        return "group \(group)"
    }

    /// One line for an operator: what is wrong with an instance's folder, and what to do; nil: nothing.
    /// - Parameter path: what the names of the instance's files begin with.
    package static func warning(ofInstanceAt path: String) -> String? {
        let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
        let folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        return otherWriters(of: folder).map { writers in
            "the instance folder \(folder) can be written by \(writers), who could replace the store, its key and the "
                + "control socket: run chmod go-w \(folder), as its owner, and chown it if it is another user's"
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
