package import PushModel

/// The half of a part that never changes: what its messages are, for whom, and under which numbers.
package struct PartContents: Equatable, Sendable {
    package let delivery: DeliveryID
    package let app: AppID
    /// Which content of the delivery.
    package let content: Int64
    /// Of the app, at submission.
    package let appRevision: Int64
    /// The number within the delivery of the first message, from 1; the others follow.
    package let firstNumber: Int64
    /// What the ids that gateways and devices see are made of, plus the index: the first number, or in a part that
    /// was migrated the row id that its first message had.
    package let idBase: Int64
    package let members: PartMembers
    /// Values of each recipient, in a form that the part does not know; nil: there are none.
    package let recipientValues: [UInt8]?

    package init(
        delivery: DeliveryID, app: AppID, content: Int64, appRevision: Int64, firstNumber: Int64, idBase: Int64,
        members: PartMembers, recipientValues: [UInt8]? = nil
    ) throws(PartDamage) {
        guard members.count > 0 else { throw PartDamage(.contents, .count) }
        guard firstNumber > 0, !firstNumber.addingReportingOverflow(Int64(members.count)).overflow else {
            throw PartDamage(.contents, .disagrees(column: "first number"))
        }
        guard idBase >= 0, !idBase.addingReportingOverflow(Int64(members.count)).overflow else {
            throw PartDamage(.contents, .disagrees(column: "id base"))
        }
        self.delivery = delivery
        self.app = app
        self.content = content
        self.appRevision = appRevision
        self.firstNumber = firstNumber
        self.idBase = idBase
        self.members = members
        self.recipientValues = recipientValues
    }

    package var count: Int { members.count }

    /// The number within the delivery of a message of this part.
    package func number(of index: Int) -> Int64 { firstNumber + Int64(index) }
    package func index(ofNumber number: Int64) -> Int? { index(number, from: firstNumber) }

    /// What the ids of a message of this part are made of.
    package func id(of index: Int) -> MessageID { MessageID(rawValue: idBase + Int64(index)) }
    package func index(of id: MessageID) -> Int? { index(id.rawValue, from: idBase) }

    private func index(_ value: Int64, from first: Int64) -> Int? {
        let (index, overflow) = value.subtractingReportingOverflow(first)
        return !overflow && index >= 0 && index < Int64(count) ? Int(index) : nil
    }
}
