/// The order of turns among members that share a resource: deficit round robin with a fixed quantum. An
/// account with a million messages and one with ten have the same number of submissions per turn.
///
/// Every operation takes constant amortised time, however many members there are.
package struct RoundRobin<Member: Hashable & Sendable>: Sendable {
    private struct Place: Sendable {
        let member: Member
        let ticket: UInt64
    }
    /// The members in the order of their turns. A place whose ticket no longer matches its member's ticket
    /// belongs to a member that has left. The first place is always valid.
    private var places = FIFOQueue<Place>()
    private var tickets: [Member: UInt64] = [:]
    private var lastTicket: UInt64 = 0
    /// The number of submissions that one turn allows.
    package let quantum: Int

    package init(quantum: Int) { self.quantum = quantum }

    package var isEmpty: Bool { tickets.isEmpty }
    package var count: Int { tickets.count }
    package var members: Dictionary<Member, UInt64>.Keys { tickets.keys }

    /// Adds the member behind all others.
    package mutating func join(_ member: Member) {
        guard tickets[member] == nil else { return }
        add(member)
    }

    private mutating func add(_ member: Member) {
        lastTicket += 1
        tickets[member] = lastTicket
        places.append(Place(member: member, ticket: lastTicket))
    }

    package mutating func leave(_ member: Member) {
        guard tickets.removeValue(forKey: member) != nil else { return }
        dropPlacesOfOthers()
        // Members that join and leave without a turn must not make the queue grow.
        if places.count > 2 * tickets.count + 16 {
            let tickets = tickets
            places.removeAll { tickets[$0.member] != $0.ticket }
        }
    }

    private mutating func dropPlacesOfOthers() {
        while let place = places.first, tickets[place.member] != place.ticket { _ = places.popFirst() }
    }

    /// The member whose turn is next.
    package var first: Member? { places.first?.member }

    /// Returns the member whose turn it is and moves it behind the others.
    package mutating func take() -> Member? {
        guard let place = places.popFirst() else { return nil }
        places.append(place)
        dropPlacesOfOthers()
        return place.member
    }
}
