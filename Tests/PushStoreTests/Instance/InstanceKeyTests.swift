import Dispatch
import FoundationEssentials
import PushModel
import PushStore
import TestSupport
import Testing

@Suite struct InstanceKeyTests {
    private let message = (delivery: DeliveryID(rawValue: 7), message: MessageID(rawValue: 42))

    @Test func `a key is created once, with 32 bytes that only its owner can read`() throws {
        try TemporaryFolder.with { folder in
            let store = try Store.open(path: folder + "/pushmta.db")
            let first = MessageIDCipher(key: try store.instanceKey()).opaqueID(
                of: message.message, in: message.delivery)
            #expect(TemporaryFolder.mode(of: folder + "/instance.key") == 0o600)
            #expect(try Data(contentsOf: URL(filePath: folder + "/instance.key")).count == 32)
            let again = try Store.open(path: folder + "/pushmta.db").instanceKey()
            #expect(MessageIDCipher(key: again).opaqueID(of: message.message, in: message.delivery) == first)
            // The folder contains no other files.
            let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
            #expect(names.allSatisfy { $0.hasPrefix("pushmta.db") || $0 == "instance.key" })
        }
    }

    @Test(arguments: [0o640, 0o604, 0o660]) func `a key that other users can read is refused`(mode: UInt32)
        throws
    {
        try TemporaryFolder.with { folder in
            let store = try Store.open(path: folder + "/pushmta.db")
            let path = folder + "/instance.key"
            _ = try store.instanceKey()
            TemporaryFolder.setMode(mode, of: path)
            expect(.keyExposed(path: path)) {
                _ = try Store.open(path: folder + "/pushmta.db").instanceKey()
            }
        }
    }

    @Test func `a key that has been read stays valid, and a fault in its file is reported`() throws {
        try TemporaryFolder.with { folder in
            let store = try Store.open(path: folder + "/pushmta.db")
            let path = folder + "/instance.key"
            let id = { (key: InstanceKey) in
                MessageIDCipher(key: key).opaqueID(of: message.message, in: message.delivery)
            }
            let first = id(try store.instanceKey())
            func expectFailure(_ cause: StoreError.Cause?) throws {
                for _ in 0..<3 { #expect(store.keyFailure()?.cause == cause) }
                #expect(id(try store.instanceKey()) == first)
                guard let cause else { return }
                // A process that starts now has no key.
                expect(cause) { _ = try Store.open(path: folder + "/pushmta.db").instanceKey() }
            }
            try expectFailure(nil)
            TemporaryFolder.setMode(0o644, of: path)
            try expectFailure(.keyExposed(path: path))
            TemporaryFolder.setMode(0o600, of: path)
            try expectFailure(nil)
            let bytes = Array(try Data(contentsOf: URL(filePath: path)))
            try write(Array(repeating: 1, count: 32), to: path)
            try expectFailure(.keyForeign(path: path))
            try write(bytes, to: path)
            try expectFailure(nil)
            try FileManager.default.removeItem(atPath: path)
            try expectFailure(.keyMissing(path: path))
            try write(bytes, to: path)
            try expectFailure(nil)
        }
    }

    @Test(arguments: [0, 31, 33]) func `a key with the wrong length is refused`(count: Int) throws {
        try TemporaryFolder.with { folder in
            let path = folder + "/instance.key"
            try write(Array(repeating: 1, count: count), to: path)
            guard
                case .keyUnreadable(path, _) = cause(of: {
                    _ = try Store.open(path: folder + "/pushmta.db").instanceKey()
                })
            else {
                Issue.record("accepted")
                return
            }
        }
    }

    @Test func `a lost key is not replaced with a new one`() throws {
        try TemporaryFolder.with { folder in
            let path = folder + "/instance.key"
            _ = try Store.open(path: folder + "/pushmta.db").instanceKey()
            try FileManager.default.removeItem(atPath: path)
            expect(.keyMissing(path: path)) {
                _ = try Store.open(path: folder + "/pushmta.db").instanceKey()
            }
            #expect(!FileManager.default.fileExists(atPath: path))
        }
    }

    @Test func `a key from another instance is refused`() throws {
        try TemporaryFolder.with { folder in
            let store = try Store.open(path: folder + "/pushmta.db")
            _ = try store.instanceKey()
            try write(Array(repeating: 9, count: 32), to: folder + "/other.key")
            let path = folder + "/other.key"
            expect(.keyForeign(path: path)) { _ = try store.instanceKey(at: path) }
        }
    }

    @Test func `the first key that is created stays the key, whichever process requests it`() throws {
        try TemporaryFolder.with { folder in
            let store = try Store.open(path: folder + "/pushmta.db")
            let failures = Failures()
            DispatchQueue.concurrentPerform(iterations: 8) { _ in
                do { _ = try store.instanceKey() } catch { failures.add("\(error)") }
            }
            #expect(failures.all == [])
        }
    }

    private func write(_ bytes: [UInt8], to path: String) throws {
        try Data(bytes).write(to: URL(filePath: path))
        TemporaryFolder.setMode(0o600, of: path)
    }
}
