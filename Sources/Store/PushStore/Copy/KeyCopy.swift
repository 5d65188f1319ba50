/// Copies the instance's key together with the store: credentials are sealed with it, and message ids are
/// derived from it.
struct KeyCopy {
    private let path: String
    /// The key to write; `nil` if the destination has the key already, or if the store never had one.
    private let bytes: [UInt8]?
    private let place: String

    /// Prepares the copy and changes nothing. Refuses a destination whose folder contains a different key.
    init(from source: any StoreEngine, to destination: Store.Place) throws(StoreError) {
        place = destination.name
        path = destination.keyPath
        let mark = try source.reader.read("read the key's mark") { try Store.keyMark($0) }
        guard let mark else {
            bytes = nil
            return
        }
        let sourcePath = source.keyPath
        guard let key = try InstanceKey.load(from: sourcePath, store: source.place) else {
            throw StoreError(.keyMissing(path: sourcePath), path: source.place)
        }
        guard key.mark == mark else { throw StoreError(.keyForeign(path: sourcePath), path: source.place) }
        if let present = try InstanceKey.load(from: path, store: place) {
            guard present.mark == mark else { throw StoreError(.keyOfAnother(path: path), path: place) }
            bytes = nil
        } else {
            bytes = try InstanceKey.bytes(in: sourcePath, store: source.place)
        }
    }

    func run() throws(StoreError) {
        guard let bytes else { return }
        do throws(PrivateFile.Failure) {
            try PrivateFile.createFolder(of: path)
            if try PrivateFile.create(path, containing: bytes) { return }
        } catch {
            guard case .system(let why) = error else {
                throw StoreError(.keyMissing(path: path), path: place)
            }
            throw StoreError(.keyUnreadable(path: path, why: why), path: place)
        }
        // Another process created a key in the meantime.
        throw StoreError(.keyOfAnother(path: path), path: place)
    }
}
