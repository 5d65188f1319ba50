internal import PushModel

/// The free space of a file system, and what this process keeps there.
package struct DiskSpace: Equatable, Sendable {
    /// A folder on the file system. Errors and alarms name the file system by this folder.
    package var folder: String
    /// What is kept there, such as `the store`.
    package var contents: [String]
    /// Whether this file system contains the store. If it is full, nothing can be recorded, so nothing is
    /// sent.
    package var holdsStore: Bool
    /// The bytes that are available to this user.
    package var freeBytes: Int
    package var totalBytes: Int

    package init(folder: String, contents: [String], holdsStore: Bool, freeBytes: Int, totalBytes: Int) {
        (self.folder, self.contents, self.holdsStore) = (folder, contents, holdsStore)
        (self.freeBytes, self.totalBytes) = (freeBytes, totalBytes)
    }

    /// The threshold is a twentieth of the file system, within limits. On a large file system, a twentieth is
    /// more than an operator needs in order to react. On a small one, a minute of sending may use more than a
    /// twentieth.
    private static let share = 20
    private static let most = 2 << 30
    private static let least = 64 << 20
    /// On a tiny file system, the threshold is at most a quarter of its size. Otherwise a file system that is
    /// smaller than ``least`` would always be low.
    private static let shareOfTiny = 4

    /// The number of free bytes below which the file system is low.
    package var threshold: Int {
        max(min(totalBytes / Self.share, Self.most), min(Self.least, totalBytes / Self.shareOfTiny))
    }

    /// - Parameter wasLow: Whether the file system was low before. If so, it remains low until its free space
    ///   exceeds the threshold by a quarter, so that a value around the threshold does not raise one alarm
    ///   after another.
    package func isLow(wasLow: Bool) -> Bool {
        freeBytes < (wasLow ? threshold + threshold / 4 : threshold)
    }
}

extension DiskSpace: CustomStringConvertible {
    package var description: String {
        let (effect, note) =
            holdsStore
            ? (
                "nothing is recorded and nothing is sent",
                "; 'pushmta purge' frees no space on the disk, only space in the store for new data"
            ) : ("what is written there is lost", "")
        return "\(Numerals.bytes(freeBytes)) of \(Numerals.bytes(totalBytes)) are left for "
            + "\(contents.joined(separator: " and ")); if the disk is full, \(effect): delete other files, "
            + "or enlarge the disk\(note)"
    }
}
