/// Fills in one request. Get one from ``HTTP2Connection/begin(_:)``, hand it to
/// ``HTTP2Connection/submit(_:tag:)`` before anything else is done with the connection. One that is dropped
/// has done nothing.
///
/// Write at the beginning of ``free`` and say what it was:
///
///     guard var request = connection.begin(template) else { return }      // no free stream
///     request.setVariable(0, length: render(path, into: request.free))
///     request.setBody(length: render(payload, into: request.free))
///     connection.submit(request, tag: message)
package struct RequestWriter {
    let memory: UnsafeMutableRawPointer
    private let room: Int
    private let variables: Int
    private var used = 0
    private(set) var bodyOffset = 0
    private(set) var bodyLength = 0
    /// One bit a variable field.
    private(set) var set: UInt32 = 0

    /// - Parameters:
    ///   - memory: by ``RequestMemory``.
    ///   - room: bytes for values and body.
    ///   - variables: how many variable fields the template has.
    init(memory: UnsafeMutableRawPointer, room: Int, variables: Int) {
        (self.memory, self.room, self.variables) = (memory, room, variables)
    }

    /// What is left of the slot: ``HTTP2Configuration/slotBytes`` at first.
    package var free: UnsafeMutableRawBufferPointer {
        UnsafeMutableRawBufferPointer(start: RequestMemory.bytes(of: memory) + used, count: room - used)
    }

    /// The first `length` bytes of ``free`` are the value of this variable field.
    package mutating func setVariable(_ index: Int, length: Int) {
        precondition(length >= 0 && length <= room - used, "a header value is longer than its slot")
        precondition(index >= 0 && index < variables, "no such variable field")
        RequestMemory.setPlace(
            RequestMemory.Place(offset: UInt32(used), length: UInt32(length)), of: index, in: memory)
        set |= 1 << UInt32(index)
        used += length
    }

    /// Copies the value of a variable field. False, and nothing is set, when the slot has no room for it.
    @discardableResult
    package mutating func setVariable(_ index: Int, copying bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count <= room - used else { return false }
        free.copyMemory(from: bytes)
        setVariable(index, length: bytes.count)
        return true
    }

    /// The first `length` bytes of ``free`` are the body. A request without a body ends with its headers.
    package mutating func setBody(length: Int) {
        precondition(length >= 0 && length <= room - used, "a body is longer than its slot")
        (bodyOffset, bodyLength) = (used, length)
        used += length
    }

    /// Copies the body. False, and nothing is set, when the slot has no room for it.
    @discardableResult
    package mutating func setBody(copying bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count <= room - used else { return false }
        free.copyMemory(from: bytes)
        setBody(length: bytes.count)
        return true
    }
}
