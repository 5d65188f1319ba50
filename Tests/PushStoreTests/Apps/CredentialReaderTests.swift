import FoundationEssentials
import PushModel
import PushStore
import Testing

@Suite(.eachEngine) struct CredentialReaderTests {
    private let secret = OpaqueCredential(bytes: Array("-----BEGIN PRIVATE KEY----- do not tell".utf8))

    @Test func `a credential comes back as it was given, and only its app's`() throws {
        try TemporaryStore.with { house in
            let plain = try house.app("plain")
            let app = try house.writer.createApp(
                TemporaryStore.settings("a"), service: "neotrips", credential: secret)
            let credentials = house.store.credentials(key: house.key)
            #expect(try credentials.credential(of: app.id) == secret)
            #expect(try credentials.credential(of: plain.id) == nil)
            let renewed = OpaqueCredential(bytes: [1, 2, 3])
            _ = try house.writer.updateApp(app.id, to: app.settings, credential: nil)
            #expect(try credentials.credential(of: app.id) == secret)
            _ = try house.writer.updateApp(app.id, to: app.settings, credential: renewed)
            #expect(try credentials.credential(of: app.id) == renewed)
        }
    }

    @Test func `the store does not contain the secret`() throws {
        try TemporaryStore.with { house in
            _ = try house.writer.createService(name: "s", label: "")
            _ = try house.writer.createApp(TemporaryStore.settings("a"), service: "s", credential: secret)
            guard case .sqlite = house.place else {
                let hex = secret.bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
                    .joined()
                let stored = try house.query("SELECT encode(sealed, 'hex') FROM credential")
                return #expect(stored.count == 1 && !stored[0].contains(hex))
            }
            for suffix in ["", "-wal"] {
                let bytes = try Data(contentsOf: URL(filePath: house.path + suffix))
                #expect(bytes.firstRange(of: Data(secret.bytes)) == nil)
            }
        }
    }

    @Test func `a credential's mark is the same wherever it is given, and tells nothing of it`() throws {
        try TemporaryStore.with { house in
            let reader = house.store.credentials(key: house.key)
            let mark = reader.mark(of: secret)
            #expect(mark.count == 8 && mark.allSatisfy { $0.isHexDigit && !$0.isUppercase })
            #expect(mark == reader.mark(of: OpaqueCredential(bytes: secret.bytes)))
            #expect(mark == (try house.reopened().credentials(key: house.key).mark(of: secret)))
            #expect(mark != reader.mark(of: OpaqueCredential(bytes: secret.bytes + [0])))
            // Another instance has other marks: none can be looked up elsewhere.
            let foreign = try Store.open(path: house.folder + "/elsewhere/pushmta.db").instanceKey()
            #expect(mark != house.store.credentials(key: foreign).mark(of: secret))
        }
    }

    @Test func `another key does not open it`() throws {
        try TemporaryStore.with { house in
            _ = try house.writer.createService(name: "s", label: "")
            let app = try house.writer.createApp(
                TemporaryStore.settings("a"), service: "s", credential: secret)
            let foreign = try Store.open(path: house.folder + "/elsewhere/pushmta.db").instanceKey()
            expect(.credentialUnreadable(app: "a")) {
                _ = try house.store.credentials(key: foreign).credential(of: app.id)
            }
        }
    }

    @Test func `a sealed credential moved to another app does not open`() throws {
        try TemporaryStore.with { house in
            let thief = try house.app("thief")
            _ = try house.writer.createApp(
                TemporaryStore.settings("a"), service: "neotrips", credential: secret)
            try house.alter(
                "INSERT INTO credential (app_id, sealed) SELECT \(thief.id), sealed FROM credential")
            expect(.credentialUnreadable(app: "thief")) {
                _ = try house.store.credentials(key: house.key).credential(of: thief.id)
            }
        }
    }
}
