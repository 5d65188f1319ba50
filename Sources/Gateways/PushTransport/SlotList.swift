/// A list of small numbers (slots) that contains each number at most once. Adding, removing and lookup take
/// constant time; the memory grows with the largest number.
struct SlotList: ~Copyable {
    struct Link: BitwiseCopyable {
        var previous = SlotList.none, next = SlotList.none
        var isMember = false
    }
    static let none: Int32 = -1

    private var links = Slab<Link>(capacity: 64)
    private var firstLink = none, lastLink = none

    /// The first number; `nil` if the list is empty.
    @inline(__always) var first: Int? { firstLink == Self.none ? nil : Int(firstLink) }

    func contains(_ slot: Int) -> Bool { slot < links.count && links[slot].isMember }

    /// Appends a number, unless it is already in the list.
    @inline(__always)
    mutating func append(_ slot: Int) { insert(slot, between: lastLink, and: Self.none) }

    /// Inserts a number at the beginning, unless it is already in the list.
    mutating func prepend(_ slot: Int) { insert(slot, between: Self.none, and: firstLink) }

    @inline(__always)
    private mutating func insert(_ slot: Int, between previous: Int32, and next: Int32) {
        while links.count <= slot { links.append(Link()) }
        guard !links[slot].isMember else { return }
        links[slot] = Link(previous: previous, next: next, isMember: true)
        join(previous, Int32(slot))
        join(Int32(slot), next)
    }

    /// Removes a number. Does nothing if it is not in the list.
    @inline(__always)
    mutating func remove(_ slot: Int) {
        guard contains(slot) else { return }
        links[slot].isMember = false
        join(links[slot].previous, links[slot].next)
    }

    /// Links two consecutive numbers. Either may be the end of the list.
    @inline(__always)
    private mutating func join(_ one: Int32, _ other: Int32) {
        if one == Self.none { firstLink = other } else { links[Int(one)].next = other }
        if other == Self.none { lastLink = one } else { links[Int(other)].previous = one }
    }
}
