import FoundationEssentials
import Glibc
import PushModel
import PushStore
import Testing

enum PrivateFiles {
    static func folder(of path: String) -> String { URL(filePath: path).deletingLastPathComponent().path }
    static func remove(_ path: String) throws { try FileManager.default.removeItem(atPath: path) }
}

/// Claims a store as a master of another process would.
final class Claimant {
    private var descriptor: Int32 = -1
    private var store: Store?
    private var claim: (any StoreClaim)?

    init(_ place: Store.Place) throws {
        guard case .sqlite(let path) = place else {
            // To a server, another connection is another process.
            let store = try Store.open(place)
            (self.store, claim) = (store, try store.claim())
            try #require(claim != nil)
            return
        }
        descriptor = unsafe open(path, O_RDWR | O_CLOEXEC)
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        lock.l_start = 1 << 62
        lock.l_len = 1
        // F_OFD_SETLK
        try #require(unsafe fcntl(descriptor, 37, &lock) == 0)
    }

    /// Releases the claim. The descriptor stays open, because closing it would drop SQLite's locks in this
    /// process.
    func giveUp() {
        (claim, store) = (nil, nil)
        guard descriptor >= 0 else { return }
        var lock = flock()
        lock.l_type = Int16(F_UNLCK)
        lock.l_whence = Int16(SEEK_SET)
        lock.l_start = 1 << 62
        lock.l_len = 1
        _ = unsafe fcntl(descriptor, 37, &lock)
        descriptor = -1
    }

    deinit { giveUp() }
}

extension TemporaryStore {
    /// The same as ``subscribe(_:to:)``, through another opening of the store.
    func subscribeThrough(_ store: Store, _ numbers: ClosedRange<Int>, to app: App) throws {
        _ = try store.subscriberImporter.upsert(
            numbers.map {
                SubscriberRecord(token: Self.token($0), userKey: "user-\($0)", parametersJSON: nil)
            },
            into: app.id, at: Self.noon)
    }
}
