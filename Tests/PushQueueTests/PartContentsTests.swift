import PushModel
import PushQueue
import Testing

@Suite struct PartContentsTests {
    private func contents(first: Int64, idBase: Int64, count: Int = 3) throws -> PartContents {
        try PartContents(
            delivery: DeliveryID(rawValue: 4), app: AppID(rawValue: 2), content: 1, appRevision: 6, firstNumber: first,
            idBase: idBase, members: PartMembers((0..<count).map { SubscriptionID(rawValue: Int64($0)) }))
    }

    @Test func `numbers count on from the first, ids from their base`() throws {
        let part = try contents(first: 101, idBase: 9_000)
        #expect(part.number(of: 2) == 103)
        #expect(part.index(ofNumber: 101) == 0 && part.index(ofNumber: 103) == 2)
        #expect(part.index(ofNumber: 100) == nil && part.index(ofNumber: 104) == nil)
        #expect(part.id(of: 2) == MessageID(rawValue: 9_002))
        #expect(part.index(of: MessageID(rawValue: 9_001)) == 1)
        #expect(part.index(of: MessageID(rawValue: .min)) == nil)
    }

    @Test func `columns that cannot be are damage`() {
        #expect(throws: PartDamage.self) { try contents(first: 0, idBase: 1) }
        #expect(throws: PartDamage.self) { try contents(first: .max - 2, idBase: 1) }
        #expect(throws: PartDamage.self) { try contents(first: 1, idBase: -1) }
        #expect(throws: PartDamage.self) { try contents(first: 1, idBase: .max) }
        #expect(throws: PartDamage(.contents, .count)) { try contents(first: 1, idBase: 1, count: 0) }
    }
}
