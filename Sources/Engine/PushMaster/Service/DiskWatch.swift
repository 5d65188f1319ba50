internal import Dispatch
internal import PushModel
internal import PushSchedule
internal import PushSystem

/// A file that the master's process writes, apart from the files of its store.
package struct WrittenFile: Sendable {
    /// The name of the file in texts, such as `the log`.
    var name: String
    var path: String

    package init(_ name: String, path: String) { (self.name, self.path) = (name, path) }
}

/// Reports the free space of the file systems to which this process writes. The watch has its own thread,
/// because a file system on a network might not answer for a long time.
final class DiskWatch: Sendable {
    /// The interval between looks. It is so short that even a store that grows fast does not use up the
    /// smallest reserve between two looks.
    private static let lookInterval = DispatchTimeInterval.seconds(2)

    /// Ends the thread. This is not a mailbox, because a mailbox would need a descriptor, and a master must
    /// work even if few descriptors are available.
    private let end = DispatchSemaphore(value: 0)

    /// - Parameters:
    ///   - isStore: Whether the store itself is at `instancePath`. If not, only other files of the instance
    ///     are there.
    ///   - others: Returns the other files that the process currently writes.
    init(
        instancePath: String, isStore: Bool, others: @escaping @Sendable () -> [WrittenFile],
        _ loop: Mailbox<LoopEvent>
    ) throws(MasterError) {
        let end = end
        _ = try DedicatedThread(named: "disk watch") {
            repeat {
                let instance = WrittenFile(isStore ? "the store" : "the instance folder", path: instancePath)
                loop.send(.disks(Self.look(at: [instance] + others(), storeIsFirst: isStore)))
            } while end.wait(timeout: .now() + Self.lookInterval) == .timedOut
        }
    }

    /// Ends the thread. Does not wait for it, because the file system may not answer.
    func stop() { end.signal() }

    private static func look(at files: [WrittenFile], storeIsFirst: Bool) -> [DiskSpace] {
        var disks: [(fileSystem: UInt64, space: DiskSpace)] = []
        for (index, file) in files.enumerated() {
            guard let found = FreeSpace(nextTo: file.path) else { continue }
            if let known = disks.firstIndex(where: { $0.fileSystem == found.fileSystem }) {
                disks[known].space.contents.append(file.name)
                continue
            }
            disks.append(
                (
                    found.fileSystem,
                    DiskSpace(
                        folder: found.folder, contents: [file.name], holdsStore: storeIsFirst && index == 0,
                        freeBytes: found.bytes, totalBytes: found.totalBytes)
                ))
        }
        return disks.map(\.space)
    }
}
