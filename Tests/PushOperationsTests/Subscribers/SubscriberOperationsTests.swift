import PushOperations
import PushWire
import Testing

struct SubscriberOperationsTests {
    private static func imported(
        _ text: String, into instance: TestInstance, inPiecesOf size: Int = 7,
        watchedBy watch: Watch<ImportedSubscribers> = Watch()
    ) async throws -> (ImportedSubscribers, rejected: [Int]) {
        var rest = Array(text.utf8)[...]
        var rejected: [Int] = []
        let counts = try await ImportSubscribers(app: "ios", fileName: "list.csv").perform(
            in: instance.operations, watchedBy: watch,
            read: { limit in
                let piece = Array(rest.prefix(min(limit, size)))
                rest = rest.dropFirst(piece.count)
                return piece
            },
            reject: { rejected += $0.map(\.line) })
        return (counts, rejected)
    }

    @Test func `what is imported is exported, bad rows are told`() async throws {
        let instance = try TestInstance.withApp()
        let good = "registrationToken,userKey,city\n\(TestInstance.token(1)),u1,Paris\n\(TestInstance.token(2)),u2,\n"
        let (counts, rejected) = try await Self.imported(good + "nonsense,u3,\n", into: instance)
        #expect(rejected == [4])
        #expect(counts.rows == 3 && counts.inserted == 2 && counts.rejected == 1 && counts.taken == 2)
        var exported: [UInt8] = []
        try ExportSubscribers(app: "ios").perform(in: instance.operations) { exported += $0 }
        #expect(String(decoding: exported, as: UTF8.self) == good)
        let again = try await Self.imported(good, into: instance).0
        #expect(again.unchanged == 2 && again.inserted == 0)
    }

    @Test(arguments: [("city\nParis\n", "list.csv: line 1"), ("", "list.csv: ")])
    func `a file without its columns is refused by its name`(text: String, why: String) async throws {
        let instance = try TestInstance.withApp()
        let error = await #expect(throws: OperationError.self) { _ = try await Self.imported(text, into: instance) }
        #expect(error?.kind == .refused)
        #expect(error?.description.hasPrefix(why) == true)
    }

    @Test func `an import that is cancelled keeps the chunk at hand and says so`() async throws {
        let instance = try TestInstance.withApp()
        let text = "registrationToken,userKey\n\(TestInstance.token(1)),u1\n"
        var reads = 0
        let error = await #expect(throws: OperationError.self) {
            _ = try await Self.imported(
                text, into: instance, inPiecesOf: 4,
                watchedBy: Watch(report: { _ in reads += 1 }, isCancelled: { reads == 3 }))
        }
        #expect(error?.kind == .cancelled)
        #expect(reads == 3)
    }

    @Test func `those that deliveries leave out are counted apart`() throws {
        let instance = try TestInstance.withApp()
        try instance.subscribe(5)
        try instance.refuse(try instance.operations.carryOut(try TestInstance.submission()).id)
        _ = try instance.operations.carryOut(DecideStorm(storm: "ios", judgement: .confirm))
        try instance.subscribe(1)
        let counts = try #require(try instance.operations.carryOut(CountSubscribers(app: "ios")).first)
        #expect(counts.subscribers == 5 && counts.valid + counts.quarantined == 5 && counts.disabled == 0)
    }
}
