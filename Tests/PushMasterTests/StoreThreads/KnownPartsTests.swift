import PushMaster
import PushModel
import Testing

@Suite struct KnownPartsTests {
    private func part(_ id: Int64, of delivery: Int64) -> Part {
        Part(
            id: PartID(rawValue: id), delivery: DeliveryID(rawValue: delivery), app: AppID(rawValue: 1),
            messages: MessageID(rawValue: id * 10)...MessageID(rawValue: id * 10 + 9), firstOrdinal: 1)
    }

    @Test func `parts are removed one by one, or together with their delivery`() {
        var parts = KnownParts()
        for (id, delivery) in [(1, 7), (2, 7), (3, 8), (3, 8)] as [(Int64, Int64)] {
            parts.insert(part(id, of: delivery))
        }
        parts.remove(PartID(rawValue: 1))
        #expect(parts[PartID(rawValue: 1)] == nil && parts[PartID(rawValue: 2)] != nil)
        parts.removeAll(of: DeliveryID(rawValue: 7))
        #expect(parts[PartID(rawValue: 2)] == nil)
        #expect(parts[PartID(rawValue: 3)] == part(3, of: 8))
        parts.remove(PartID(rawValue: 9))
        parts.removeAll(of: DeliveryID(rawValue: 7))
        #expect(parts[PartID(rawValue: 3)] != nil)
    }

    // MARK: Among several hosts

    private func ids(_ numbers: Int64...) -> [PartID] { numbers.map(PartID.init(rawValue:)) }

    /// Returns five parts of one delivery and one of another, of ten messages each.
    private func six() -> KnownParts {
        var parts = KnownParts()
        for id in Int64(1)...5 { parts.insert(part(id, of: 7)) }
        parts.insert(part(6, of: 8))
        return parts
    }

    @Test func `a part is claimed together with the next parts in its delivery, as many as are worthwhile`() {
        let parts = six()
        let first = part(1, of: 7)
        #expect(parts.next(from: first, messages: 30, parts: 200) == ids(1, 2, 3))
        #expect(parts.next(from: first, messages: 31, parts: 200) == ids(1, 2, 3, 4))
        #expect(parts.next(from: first, messages: 10, parts: 200) == ids(1), "it is enough by itself")
        #expect(parts.next(from: first, messages: 1_000, parts: 200) == ids(1, 2, 3, 4, 5))
        #expect(parts.next(from: first, messages: 1_000, parts: 2) == ids(1, 2))
        #expect(parts.next(from: part(4, of: 7), messages: 1_000, parts: 200) == ids(4, 5))
        #expect(parts.next(from: part(6, of: 8), messages: 1_000, parts: 200) == ids(6))
    }

    @Test func `another host's part is forgotten, and an owned part is not claimed again`() {
        var parts = six()
        #expect(!parts.isOwn(PartID(rawValue: 1)))
        parts.took(Set(ids(1, 3)), of: ids(1, 2, 3))
        #expect(ids(1, 3).allSatisfy(parts.isOwn) && !parts.isOwn(PartID(rawValue: 2)))
        #expect(parts[PartID(rawValue: 2)] == nil && parts[PartID(rawValue: 3)] != nil)
        #expect(parts[PartID(rawValue: 4)] != nil, "it was not asked for")
        #expect(parts.next(from: part(1, of: 7), messages: 1_000, parts: 200) == ids(1, 4, 5))
    }

    @Test func `a closed part is no longer owned, and neither is a part whose delivery was removed`() {
        var parts = six()
        parts.took(Set(ids(1, 2, 6)), of: ids(1, 2, 6))
        parts.remove(PartID(rawValue: 1))
        #expect(!parts.isOwn(PartID(rawValue: 1)) && parts.isOwn(PartID(rawValue: 2)))
        // A part that is found again must be claimed again.
        parts.insert(part(1, of: 7))
        #expect(!parts.isOwn(PartID(rawValue: 1)))
        parts.removeAll(of: DeliveryID(rawValue: 7))
        #expect(!parts.isOwn(PartID(rawValue: 2)) && parts.isOwn(PartID(rawValue: 6)))
    }
}
