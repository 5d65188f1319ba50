import PushAPI
import PushModel
import PushStore
import PushWire
import TestRequests
import Testing

struct SubscriberImportTests {
    @Test func `imported rows can be exported again, and bad rows are reported`() async throws {
        let instance = try TestInstance.withApp()
        let good =
            "token,userKey,city\n\(TestInstance.token(1)),u1,Paris\n\(TestInstance.token(2)),u2,\n"
        let (counts, rejected) = try await instance.imported(good + "nonsense,u3,\n")
        #expect(rejected == [4])
        #expect(counts.rows == 3 && counts.inserted == 2 && counts.rejected == 1 && counts.taken == 2)
        var exported: [UInt8] = []
        let export = ExportSubscribers(app: "ios", withFacts: false)
        try await export.perform(in: instance.operations, type: "text/csv") { exported += $0 }
        #expect(String(decoding: exported, as: UTF8.self) == good)
        let again = try await instance.imported(good).0
        #expect(again.unchanged == 2 && again.inserted == 0)
    }

    @Test(arguments: [true, false], ["text/csv", "application/x-ndjson"])
    func `an import of an export restores parameters that are named like facts and columns`(
        hasFacts: Bool, type: String
    ) async throws {
        let instance = try TestInstance.withApp()
        let parameters = [
            "city": "Rome", "osLanguage": "a parameter", "registeredAt": "today", "token": "t",
            "registrationToken": "r", "userKey": "u", "parameters.osName": "x", "parameters.city": "y",
        ]
        var json: [UInt8] = []
        JSONValue.object(
            parameters.sorted { $0.key < $1.key }.map { JSONMember(key: $0.key, value: .string($0.value)) }
        )
        .append(to: &json)
        try instance.add([
            SubscriberRecord(
                token: TestInstance.token(1), userKey: "user1",
                parametersJSON: String(decoding: json, as: UTF8.self)),
            SubscriberRecord(token: TestInstance.token(2), userKey: "", parametersJSON: nil),
        ])
        var exported: [UInt8] = []
        try await ExportSubscribers(app: "ios", withFacts: hasFacts).perform(
            in: instance.operations, type: type
        ) { exported += $0 }
        let text = String(decoding: exported, as: UTF8.self)
        if type == "text/csv" {
            #expect(
                text.hasPrefix(
                    "registrationToken,userKey,city,parameters.osLanguage,parameters.city,"
                        + "parameters.parameters.osName,parameters.registeredAt,"
                        + "parameters.registrationToken,token,parameters.userKey"), "\(text)")
        }
        let other = try TestInstance.withApp()
        let (counts, rejected) = try await other.imported(text, type == "text/csv" ? .csv : .jsonLines)
        #expect(counts.inserted == 2 && rejected == [], "\(text)")
        let restored = try other.operations.everySubscriber(.userKey("user1"))
        #expect(restored.map(\.parameters) == [parameters])
        #expect(restored.map(\.language) == [""])
    }

    @Test(arguments: [("city\nParis\n", "list.csv: line 1"), ("", "list.csv: ")])
    func `a file that lacks a required column is refused, and the error names the column`(
        text: String, why: String
    ) async throws {
        let instance = try TestInstance.withApp()
        let error = await #expect(throws: OperationError.self) {
            _ = try await instance.imported(text)
        }
        #expect(error?.kind == .refused)
        #expect(error?.description.hasPrefix(why) == true)
    }

    @Test func `an app's declarations apply to an imported list as they apply to devices`() async throws {
        let instance = try TestInstance.withApp()
        _ = try instance.operations.carryOut(
            UpdateApp(name: "ios", parameters: [ParameterDeclaration(name: "points", kind: .number)]))
        let error = await #expect(throws: OperationError.self) {
            _ = try await instance.imported(
                "registrationToken,userKey,colour\n\(TestInstance.token(1)),u1,red\n")
        }
        #expect(error?.kind == .refused)
        #expect(error?.description.contains("colour; the app declares points:number") == true)
        #expect(try instance.operations.carryOut(CountSubscribers(app: "ios")).first?.subscribers == 0)
        let (counts, rejected) = try await instance.imported(
            "registrationToken,userKey,points\n\(TestInstance.token(1)),u1,7\n\(TestInstance.token(2)),u2,x\n"
        )
        #expect(counts.inserted == 1 && rejected == [3])
        #expect(
            try instance.operations.everySubscriber(.userKey("u1")).map(\.parameters) == [
                ["points": "7"]
            ])
    }

    @Test func `an import that is cancelled while writing finishes the chunk and reports it`() async throws {
        let instance = try TestInstance.withApp()
        let rows = (1...9_000).map { "\(TestInstance.token($0)),u\($0)\n" }.joined()
        var inStore: [Int] = []
        let (counts, _) = try await instance.imported(
            "registrationToken,userKey\n\(rows)", inPiecesOf: 1 << 20,
            watchedBy: Watch(
                report: { inStore.append($0.taken) }, isCancelled: { inStore.contains { $0 > 0 } }))
        #expect(counts.inserted == 9_000 && inStore.last == 9_000)
        #expect(inStore == inStore.sorted())
        #expect(try instance.operations.carryOut(CountSubscribers(app: "ios")).first?.subscribers == 9_000)
    }

    @Test func `an import that is cancelled while it is reading writes nothing`() async throws {
        let instance = try TestInstance.withApp()
        var reads = 0
        let error = await #expect(throws: OperationError.self) {
            _ = try await ImportSubscribers(app: "ios").perform(
                in: instance.operations, .csv, fileName: "list.csv",
                watchedBy: Watch(isCancelled: { reads == 2 }),
                read: { _ in
                    reads += 1
                    guard reads == 1 else { throw OperationError(.cancelled, "interrupted") }
                    return Array("token,userKey\n\(TestInstance.token(1)),u1\n".utf8)
                },
                reject: { _ in })
        }
        #expect(error?.kind == .cancelled)
        #expect(try instance.operations.carryOut(CountSubscribers(app: "ios")).first?.subscribers == 0)
    }

    @Test func `an import that is cancelled before its chunk is complete writes nothing`() async throws {
        let instance = try TestInstance.withApp()
        var reads = 0
        let error = await #expect(throws: OperationError.self) {
            _ = try await instance.imported(
                "registrationToken,userKey\n\(TestInstance.token(1)),u1\n", inPiecesOf: 4,
                watchedBy: Watch(report: { _ in reads += 1 }, isCancelled: { reads == 3 }))
        }
        #expect(error?.kind == .cancelled && reads == 3)
        #expect(try instance.operations.carryOut(CountSubscribers(app: "ios")).first?.subscribers == 0)
    }

    @Test
    func `an import lifts quarantines only if requested, and counts the rows in quarantine`() async throws {
        let instance = try TestInstance.withApp()
        try instance.subscribe(4)
        try instance.refuse(try instance.operations.carryOut(try TestInstance.submission()).id)
        _ = try instance.operations.carryOut(DecideStorm(storm: "ios", judgement: .confirm))
        // Three unchanged subscribers, one with another user key, and one new.
        let rows = (1...3).map { "\(TestInstance.token($0)),user\($0)\n" }.joined()
        let text =
            "registrationToken,userKey\n\(rows)\(TestInstance.token(4)),other\n\(TestInstance.token(5)),new\n"
        let (counts, _) = try await instance.imported(text, inPiecesOf: 1_000)
        #expect(counts.unchanged == 3 && counts.updated == 1 && counts.inserted == 1)
        #expect(counts.quarantined == 4)
        #expect(try instance.operations.carryOut(ListQuarantine(state: .quarantined)).items.count == 4)
        let changed = try instance.operations.everySubscriber(.userKey("other"))
        #expect(changed.map(\.state) == ["quarantined"])

        let (lifted, _) = try await instance.imported(text, inPiecesOf: 1_000, lifting: true)
        #expect(lifted.unchanged == 5 && lifted.quarantined == 0)
        #expect(try instance.operations.carryOut(ListQuarantine()).items.isEmpty)
    }
}
