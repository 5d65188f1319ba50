internal import CPushShims

/// The descriptors that `curl_multi_poll` waits for beside its own, and who owns each.
///
/// An entry that waits for nothing stays out of the poll, or its hang-up would wake us for ever.
struct DescriptorTable {
    enum Owner {
        case foreign(Int32)
        case stream(TLSStream)
    }
    private var entries: ContiguousArray<curl_waitfd> = []
    private var owners: ContiguousArray<Owner> = []
    /// Place of each descriptor; -1: none. Descriptors are small numbers.
    private var places: ContiguousArray<Int32> = []

    mutating func set(_ owner: Owner, descriptor: Int32, reads: Bool, writes: Bool) {
        let events = Int16((reads ? CURL_WAIT_POLLIN : 0) | (writes ? CURL_WAIT_POLLOUT : 0))
        guard events != 0 else { return remove(descriptor: descriptor) }
        if let place = place(of: descriptor) {
            entries[place].events = events
            owners[place] = owner
        } else {
            while places.count <= Int(descriptor) { places.append(-1) }
            places[Int(descriptor)] = Int32(entries.count)
            entries.append(curl_waitfd(fd: descriptor, events: events, revents: 0))
            owners.append(owner)
        }
    }

    mutating func remove(descriptor: Int32) {
        guard let place = place(of: descriptor) else { return }
        places[Int(descriptor)] = -1
        let last = entries.count - 1
        if place != last {
            entries[place] = entries[last]
            owners[place] = owners[last]
            places[Int(entries[place].fd)] = Int32(place)
        }
        entries.removeLast()
        owners.removeLast()
    }

    mutating func withArmed<Result>(_ body: (UnsafeMutablePointer<curl_waitfd>?, Int) -> Result) -> Result {
        entries.withUnsafeMutableBufferPointer { body($0.baseAddress, $0.count) }
    }

    /// Who is ready, and for what; the marks are taken off. Returns how many.
    mutating func collect(_ tell: (Owner, _ readable: Bool, _ writable: Bool) -> Void) -> Int {
        var found = 0
        for place in entries.indices where entries[place].revents != 0 {
            let events = Int32(entries[place].revents)
            entries[place].revents = 0
            found += 1
            tell(owners[place], events & CURL_WAIT_POLLIN != 0, events & CURL_WAIT_POLLOUT != 0)
        }
        return found
    }

    /// Who has nothing but a hang-up or an error.
    func collectHungUp(_ tell: (Owner) -> Void) {
        for (place, entry) in entries.enumerated() {
            var one = pollfd(fd: entry.fd, events: 0, revents: 0)
            if poll(&one, 1, 0) > 0 { tell(owners[place]) }
        }
    }

    private func place(of descriptor: Int32) -> Int? {
        guard descriptor >= 0, Int(descriptor) < places.count, places[Int(descriptor)] >= 0 else {
            return nil
        }
        return Int(places[Int(descriptor)])
    }
}
