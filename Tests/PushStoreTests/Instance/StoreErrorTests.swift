import PushModel
import PushStore
import Testing

@Suite struct StoreErrorTests {
    @Test(arguments: [
        StoreError.Cause.cannotOpen(why: "No such file"), .notAStore, .newerVersion(unknown: "9"),
        .formerVersion(lacks: "version 29"),
        .unwritable,
        .diskFull,
        .corrupt(what: "x"), .unsound(what: "x"),
        .unreadableValue(during: "read"), .busy, .sqlite(code: 1, during: "read"), .unknown(.app, name: "a"),
        .duplicate(.service, name: "s"), .duplicateIntegrationKey(app: "a"), .certificateSharedWith(app: "a"),
        .inUse(app: "a", delivery: DeliveryID(rawValue: 1)), .limitReached(what: "too many"),
        .unfitTarget(what: "there is no delivery 7"),
        .keyExposed(path: "/k"), .keyUnreadable(path: "/k", why: "x"), .keyMissing(path: "/k"),
        .keyForeign(path: "/k"),
        .credentialUnreadable(app: "a"),
    ])
    func `the text of an error is one line without a full stop`(cause: StoreError.Cause) {
        let text = StoreError(cause, path: "var/pushmta.db").description
        #expect(!text.isEmpty && !text.contains("\n") && !text.hasSuffix("."))
    }

    @Test func `the text of a store error names the store`() {
        for cause in [StoreError.Cause.notAStore, .unwritable, .diskFull, .busy, .corrupt(what: "x")] {
            #expect(StoreError(cause, path: "var/pushmta.db").description.contains("var/pushmta.db"))
            #expect(!StoreError(cause, path: "").isRefusal)
        }
        #expect(StoreError(.unknown(.app, name: "a"), path: "").isRefusal)
    }
}
