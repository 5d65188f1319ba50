/// The gateway that Apple switched off in 2021: what all its connections share.
///
/// **Promises.** Success is silent. A notification that was taken is in the log and in the counts; what came
/// behind one that was not is neither read nor counted. **Neighbours.** ``BinaryContract`` reads
/// notifications, behaviours misbehave, ``BinaryConversation`` is one connection.
package final class BinaryGateway {
    let contract: BinaryContract
    let counts: SinkCounts
    let log: RequestLog?
    private var behaviours: [any GatewayBehaviour]
    /// Digits of the token that is looked at just now; rules, counts and logs have tokens as text.
    private let digits = UnsafeMutableBufferPointer<UInt8>.allocate(
        capacity: 2 * BinaryContract.tokenSizes.upperBound)

    package init(
        contract: BinaryContract, behaviours: [any GatewayBehaviour], counts: SinkCounts, log: RequestLog?
    ) {
        self.contract = contract
        self.behaviours = behaviours
        self.counts = counts
        self.log = log
    }

    deinit { digits.deallocate() }

    /// What the behaviours say; no opinion is consent.
    func behave(_ request: SinkRequest, at now: Instant) -> SinkAnswer {
        for index in behaviours.indices {
            if let answer = behaviours[index].answer(request, at: now) { return answer }
        }
        return .accept
    }

    /// The token in digits, valid until the next one is asked for.
    func device(of frame: BinaryFrame) -> Bytes? {
        guard let token = frame.token, token.count <= BinaryContract.tokenSizes.upperBound, token.count > 0,
            let start = digits.baseAddress
        else { return nil }
        return Hex.write(token, to: start)
    }

    /// `number`: of the notification within its connection, from 1. `status`: what the packet says, if any.
    func record(
        _ frame: BinaryFrame, _ device: Bytes?, _ ending: Ending, _ status: BinaryStatus? = nil, number: Int,
        connection: Int, at now: Instant
    ) {
        // Two of the same payload for one token are one message that came twice.
        let hash =
            counts.countsDistinct && ending == .accepted
            ? Bytes.mixed(
                (frame.token?.hash64 ?? 0) ^ (frame.payload?.hash64 ?? 0) &* 3) | 1 : 0
        counts.ended(ending, device: device, idHash: hash, at: now)
        log?.write(frame, device, ending, status, number: number, connection: connection)
    }
}
