import FoundationEssentials
import PushModel
import PushStore
import Testing

@Suite(.eachEngine) struct CredentialReaderTests {
    private let secret = OpaqueCredential(bytes: Array("-----BEGIN PRIVATE KEY----- do not tell".utf8))

    @Test func `a credential is returned as it was stored, and only for its own app`() throws {
        try TemporaryStore.with { fixture in
            let plain = try fixture.app("plain")
            let app = try fixture.writer.createApp(
                TemporaryStore.settings("a"), service: "neotrips", credential: secret)
            let credentials = fixture.store.credentials(key: fixture.key)
            #expect(try credentials.credential(of: app.id) == secret)
            #expect(try credentials.credential(of: plain.id) == nil)
            let renewed = OpaqueCredential(bytes: [1, 2, 3])
            _ = try fixture.writer.updateApp(app.id, to: app.settings, credential: nil)
            #expect(try credentials.credential(of: app.id) == secret)
            _ = try fixture.writer.updateApp(app.id, to: app.settings, credential: renewed)
            #expect(try credentials.credential(of: app.id) == renewed)
        }
    }

    @Test func `the store does not contain the secret of a credential`() throws {
        try TemporaryStore.with { fixture in
            _ = try fixture.writer.createService(name: "s", label: "")
            _ = try fixture.writer.createApp(TemporaryStore.settings("a"), service: "s", credential: secret)
            guard case .sqlite = fixture.place else {
                let hex = secret.bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
                    .joined()
                let stored = try fixture.query("SELECT encode(sealed, 'hex') FROM credential")
                return #expect(stored.count == 1 && !stored[0].contains(hex))
            }
            for suffix in ["", "-wal"] {
                let bytes = try Data(contentsOf: URL(filePath: fixture.path + suffix))
                #expect(bytes.firstRange(of: Data(secret.bytes)) == nil)
            }
        }
    }

    @Test
    func `a credential's fingerprint is the same wherever it is stored, and reveals nothing about it`() throws
    {
        try TemporaryStore.with { fixture in
            let reader = fixture.store.credentials(key: fixture.key)
            let mark = reader.mark(of: secret)
            #expect(mark.count == 8 && mark.allSatisfy { $0.isHexDigit && !$0.isUppercase })
            #expect(mark == reader.mark(of: OpaqueCredential(bytes: secret.bytes)))
            #expect(mark == (try fixture.reopened().credentials(key: fixture.key).mark(of: secret)))
            #expect(mark != reader.mark(of: OpaqueCredential(bytes: secret.bytes + [0])))
            // Another instance has other marks, so a mark cannot be looked up in another instance.
            let foreign = try Store.open(path: fixture.folder + "/elsewhere/pushmta.db").instanceKey()
            #expect(mark != fixture.store.credentials(key: foreign).mark(of: secret))
        }
    }

    @Test func `a credential cannot be opened with a different key`() throws {
        try TemporaryStore.with { fixture in
            _ = try fixture.writer.createService(name: "s", label: "")
            let app = try fixture.writer.createApp(
                TemporaryStore.settings("a"), service: "s", credential: secret)
            let foreign = try Store.open(path: fixture.folder + "/elsewhere/pushmta.db").instanceKey()
            expect(.credentialUnreadable(app: "a")) {
                _ = try fixture.store.credentials(key: foreign).credential(of: app.id)
            }
        }
    }

    @Test func `a sealed credential cannot be opened after it is moved to another app`() throws {
        try TemporaryStore.with { fixture in
            let thief = try fixture.app("thief")
            _ = try fixture.writer.createApp(
                TemporaryStore.settings("a"), service: "neotrips", credential: secret)
            try fixture.alter(
                "INSERT INTO credential (app_id, sealed) SELECT \(thief.id), sealed FROM credential")
            expect(.credentialUnreadable(app: "thief")) {
                _ = try fixture.store.credentials(key: fixture.key).credential(of: thief.id)
            }
        }
    }
}
