import PushModel
import PushStore
import Testing

@Suite struct WriteRemedyTests {
    @Test func `each store error has its remedy`() {
        let table: [(WriteRemedy, [StoreError.Cause])] = [
            (
                .setAside,
                [
                    .unreadableValue(during: "x"), .unsound(what: "x"), .sqlite(code: 19, during: "x"),
                    .sqlite(code: 275, during: "x"), .sqlite(code: 3_091, during: "x"),
                    .sqlite(code: 18, during: "x"),
                    .sqlite(code: 20, during: "x"), .sqlite(code: 25, during: "x"),
                ]
            ),
            (
                .wait,
                [
                    .diskFull, .busy, .unwritable, .cannotOpen(why: "x"), .sqlite(code: 10, during: "x"),
                    .sqlite(code: 1_034, during: "x"), .sqlite(code: 7, during: "x"),
                    .sqlite(code: 4, during: "x"),
                    .sqlite(code: 9, during: "x"), .sqlite(code: 15, during: "x"),
                ]
            ),
            (.tryAgain, [.sqlite(code: 17, during: "x")]),
            (
                .engineFault,
                [
                    .corrupt(what: "x"), .notAStore, .newerVersion(unknown: "x"), .formerVersion(lacks: "x"),
                    .sqlite(code: 1, during: "x"),
                    .sqlite(code: 21, during: "x"), .sqlite(code: 99, during: "x"),
                ]
            ),
            (
                .refuse,
                [
                    .unknown(.app, name: "x"), .duplicate(.app, name: "x"), .limitReached(what: "x"),
                    .unfitTarget(what: "x"),
                    .duplicateIntegrationKey(app: "x"), .certificateSharedWith(app: "x"),
                    .inUse(app: "x", delivery: DeliveryID(rawValue: 1)), .credentialUnreadable(app: "x"),
                ]
            ),
        ]
        #expect(Set(table.map(\.0)) == Set(WriteRemedy.allCases))
        for (remedy, causes) in table {
            for cause in causes { #expect(StoreError(cause, path: "p").remedy == remedy, "\(cause)") }
        }
    }

    @Test func `an error other than a store failure is attributed to one unit or to its caller`() {
        for code in Int32(1)...30 where ![18, 19, 20, 25].contains(code) {
            #expect(StoreError(.sqlite(code: code, during: "x"), path: "p").remedy != .setAside)
        }
    }
}
