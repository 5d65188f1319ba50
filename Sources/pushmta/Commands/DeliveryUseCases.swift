internal import PushOperations

// What these commands perform, for LeafCommand.

extension DeliveryList: PerformingCommand {
    static var useCases: [any UseCase.Type] { [ListDeliveries.self] }
}
extension DeliveryRetryFailed: PerformingCommand {
    static var useCases: [any UseCase.Type] { [RetryFailed.self] }
}
extension DeliveryRelease: PerformingCommand {
    static var useCases: [any UseCase.Type] { [ReleaseDeliveries.self] }
}
extension DeliveryRecall: PerformingCommand {
    static var useCases: [any UseCase.Type] { [RecallDelivery.self, ShowDelivery.self] }
}
extension DeliveryStats: MemberCommand {}
extension DeliveryLog: PerformingCommand {
    static var useCases: [any UseCase.Type] { [ReadDeliveryLogPage.self] }
}
extension DeliverySubmit: PerformingCommand {
    static var useCases: [any UseCase.Type] {
        [SubmitDelivery.self, DryRunDelivery.self, ShowDelivery.self, ShowDeliveryStorms.self]
    }
}
extension DeliveryPreview: PerformingCommand {
    static var useCases: [any UseCase.Type] { [PreviewDelivery.self] }
}
extension DeliveryProof: PerformingCommand {
    static var useCases: [any UseCase.Type] { [ProofDelivery.self] }
}
extension Send: PerformingCommand {
    static var useCases: [any UseCase.Type] { [SendMessages.self, ShowMessage.self] }
}
