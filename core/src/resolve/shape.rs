//! Which syntax nodes are modelled, and in which place. The one exhaustive look at PostgreSQL's node kinds.
//!
//! Receives a node, returns what kind of thing it is. A new node kind of a new parser version is a compile error here; a
//! node that is not listed as modelled is refused, by name.

use pg_query::NodeEnum;
use pg_query::protobuf as pg;

/// A node that can stand where an expression stands.
#[derive(Clone, Copy)]
#[allow(missing_docs)] // each variant is the node that it names
pub enum ExprNode<'a> {
    ColumnRef(&'a pg::ColumnRef),
    ParamRef(&'a pg::ParamRef),
    AConst(&'a pg::AConst),
    AExpr(&'a pg::AExpr),
    BoolExpr(&'a pg::BoolExpr),
    NullTest(&'a pg::NullTest),
    BooleanTest(&'a pg::BooleanTest),
    FuncCall(&'a pg::FuncCall),
    TypeCast(&'a pg::TypeCast),
    CollateClause(&'a pg::CollateClause),
    SubLink(&'a pg::SubLink),
    CaseExpr(&'a pg::CaseExpr),
    RowExpr(&'a pg::RowExpr),
    AArrayExpr(&'a pg::AArrayExpr),
    AIndirection(&'a pg::AIndirection),
    CoalesceExpr(&'a pg::CoalesceExpr),
    MinMaxExpr(&'a pg::MinMaxExpr),
    SqlvalueFunction(&'a pg::SqlValueFunction),
    GroupingFunc(&'a pg::GroupingFunc),
    JsonIsPredicate(&'a pg::JsonIsPredicate),
    JsonParseExpr(&'a pg::JsonParseExpr),
    JsonScalarExpr(&'a pg::JsonScalarExpr),
    JsonSerializeExpr(&'a pg::JsonSerializeExpr),
    JsonObjectConstructor(&'a pg::JsonObjectConstructor),
    JsonArrayConstructor(&'a pg::JsonArrayConstructor),
    JsonArrayQueryConstructor(&'a pg::JsonArrayQueryConstructor),
    JsonObjectAgg(&'a pg::JsonObjectAgg),
    JsonArrayAgg(&'a pg::JsonArrayAgg),
    JsonFuncExpr(&'a pg::JsonFuncExpr),
    NamedArgExpr(&'a pg::NamedArgExpr),
    /// DEFAULT, where it is no row of INSERT and nothing that SET gives.
    SetToDefault(&'a pg::SetToDefault),
    MultiAssignRef(&'a pg::MultiAssignRef),
    CurrentOfExpr,
    /// Known, and refused: what it is called.
    Refused(&'static str),
}

/// A node that can stand in FROM.
#[derive(Clone, Copy)]
#[allow(missing_docs)] // as above
pub enum FromNode<'a> {
    RangeVar(&'a pg::RangeVar),
    RangeSubselect(&'a pg::RangeSubselect),
    RangeFunction(&'a pg::RangeFunction),
    JoinExpr(&'a pg::JoinExpr),
    JsonTable(&'a pg::JsonTable),
    RangeTableSample(&'a pg::RangeTableSample),
    RangeTableFunc(&'a pg::RangeTableFunc),
}

/// A part of a clause.
#[derive(Clone, Copy)]
#[allow(missing_docs)] // as above
pub enum ClauseNode<'a> {
    SelectStmt(&'a pg::SelectStmt),
    ResTarget(&'a pg::ResTarget),
    SortBy(&'a pg::SortBy),
    WindowDef(&'a pg::WindowDef),
    GroupingSet(&'a pg::GroupingSet),
    CaseWhen(&'a pg::CaseWhen),
    CommonTableExpr(&'a pg::CommonTableExpr),
    List(&'a pg::List),
    /// A star.
    AStar,
    AIndices(&'a pg::AIndices),
    String(&'a pg::String),
    LockingClause(&'a pg::LockingClause),
    JsonTableColumn(&'a pg::JsonTableColumn),
    JsonArgument(&'a pg::JsonArgument),
    JsonKeyValue(&'a pg::JsonKeyValue),
    JsonValueExpr(&'a pg::JsonValueExpr),
    ColumnDef(&'a pg::ColumnDef),
    IndexElem(&'a pg::IndexElem),
    ReturningOption(&'a pg::ReturningOption),
}

/// What a node is, by the place where it can stand.
#[derive(Clone, Copy)]
pub enum Shape<'a> {
    /// An expression.
    Expr(ExprNode<'a>),
    /// A FROM item.
    From(FromNode<'a>),
    /// A part of a clause.
    Clause(ClauseNode<'a>),
    /// A statement that writes.
    Write(WriteNode<'a>),
    /// Nothing that a SELECT is made of.
    Other,
}

/// A statement that writes.
#[derive(Clone, Copy)]
pub enum WriteNode<'a> {
    /// INSERT.
    Insert(&'a pg::InsertStmt),
    /// UPDATE.
    Update(&'a pg::UpdateStmt),
    /// DELETE.
    Delete(&'a pg::DeleteStmt),
    /// MERGE.
    Merge,
}

/// Sorts a node.
pub fn shape(node: &pg::Node) -> Shape<'_> {
    let pg::Node { node } = node;
    let Some(node) = node else { return Shape::Other };
    match node {
        NodeEnum::ColumnRef(it) => Shape::Expr(ExprNode::ColumnRef(it)),
        NodeEnum::ParamRef(it) => Shape::Expr(ExprNode::ParamRef(it)),
        NodeEnum::AConst(it) => Shape::Expr(ExprNode::AConst(it)),
        NodeEnum::AExpr(it) => Shape::Expr(ExprNode::AExpr(it)),
        NodeEnum::BoolExpr(it) => Shape::Expr(ExprNode::BoolExpr(it)),
        NodeEnum::NullTest(it) => Shape::Expr(ExprNode::NullTest(it)),
        NodeEnum::BooleanTest(it) => Shape::Expr(ExprNode::BooleanTest(it)),
        NodeEnum::FuncCall(it) => Shape::Expr(ExprNode::FuncCall(it)),
        NodeEnum::TypeCast(it) => Shape::Expr(ExprNode::TypeCast(it)),
        NodeEnum::CollateClause(it) => Shape::Expr(ExprNode::CollateClause(it)),
        NodeEnum::SubLink(it) => Shape::Expr(ExprNode::SubLink(it)),
        NodeEnum::CaseExpr(it) => Shape::Expr(ExprNode::CaseExpr(it)),
        NodeEnum::RowExpr(it) => Shape::Expr(ExprNode::RowExpr(it)),
        NodeEnum::AArrayExpr(it) => Shape::Expr(ExprNode::AArrayExpr(it)),
        NodeEnum::AIndirection(it) => Shape::Expr(ExprNode::AIndirection(it)),
        NodeEnum::CoalesceExpr(it) => Shape::Expr(ExprNode::CoalesceExpr(it)),
        NodeEnum::MinMaxExpr(it) => Shape::Expr(ExprNode::MinMaxExpr(it)),
        NodeEnum::SqlvalueFunction(it) => Shape::Expr(ExprNode::SqlvalueFunction(it)),
        NodeEnum::GroupingFunc(it) => Shape::Expr(ExprNode::GroupingFunc(it)),
        NodeEnum::JsonIsPredicate(it) => Shape::Expr(ExprNode::JsonIsPredicate(it)),
        NodeEnum::JsonParseExpr(it) => Shape::Expr(ExprNode::JsonParseExpr(it)),
        NodeEnum::JsonScalarExpr(it) => Shape::Expr(ExprNode::JsonScalarExpr(it)),
        NodeEnum::JsonSerializeExpr(it) => Shape::Expr(ExprNode::JsonSerializeExpr(it)),
        NodeEnum::JsonObjectConstructor(it) => Shape::Expr(ExprNode::JsonObjectConstructor(it)),
        NodeEnum::JsonArrayConstructor(it) => Shape::Expr(ExprNode::JsonArrayConstructor(it)),
        NodeEnum::JsonArrayQueryConstructor(it) => Shape::Expr(ExprNode::JsonArrayQueryConstructor(it)),
        NodeEnum::JsonObjectAgg(it) => Shape::Expr(ExprNode::JsonObjectAgg(it)),
        NodeEnum::JsonArrayAgg(it) => Shape::Expr(ExprNode::JsonArrayAgg(it)),
        NodeEnum::JsonFuncExpr(it) => Shape::Expr(ExprNode::JsonFuncExpr(it)),
        NodeEnum::NamedArgExpr(it) => Shape::Expr(ExprNode::NamedArgExpr(it)),
        NodeEnum::XmlExpr(_) => Shape::Expr(ExprNode::Refused("an XML expression")),
        NodeEnum::XmlSerialize(_) => Shape::Expr(ExprNode::Refused("XMLSERIALIZE")),
        NodeEnum::SetToDefault(it) => Shape::Expr(ExprNode::SetToDefault(it)),
        NodeEnum::CurrentOfExpr(_) => Shape::Expr(ExprNode::CurrentOfExpr),
        NodeEnum::MergeSupportFunc(_) => Shape::Expr(ExprNode::Refused("merge_action()")),
        NodeEnum::MultiAssignRef(it) => Shape::Expr(ExprNode::MultiAssignRef(it)),
        NodeEnum::RangeVar(it) => Shape::From(FromNode::RangeVar(it)),
        NodeEnum::RangeSubselect(it) => Shape::From(FromNode::RangeSubselect(it)),
        NodeEnum::RangeFunction(it) => Shape::From(FromNode::RangeFunction(it)),
        NodeEnum::JoinExpr(it) => Shape::From(FromNode::JoinExpr(it)),
        NodeEnum::JsonTable(it) => Shape::From(FromNode::JsonTable(it)),
        NodeEnum::RangeTableSample(it) => Shape::From(FromNode::RangeTableSample(it)),
        NodeEnum::RangeTableFunc(it) => Shape::From(FromNode::RangeTableFunc(it)),
        NodeEnum::SelectStmt(it) => Shape::Clause(ClauseNode::SelectStmt(it)),
        NodeEnum::ResTarget(it) => Shape::Clause(ClauseNode::ResTarget(it)),
        NodeEnum::SortBy(it) => Shape::Clause(ClauseNode::SortBy(it)),
        NodeEnum::WindowDef(it) => Shape::Clause(ClauseNode::WindowDef(it)),
        NodeEnum::GroupingSet(it) => Shape::Clause(ClauseNode::GroupingSet(it)),
        NodeEnum::CaseWhen(it) => Shape::Clause(ClauseNode::CaseWhen(it)),
        NodeEnum::CommonTableExpr(it) => Shape::Clause(ClauseNode::CommonTableExpr(it)),
        NodeEnum::List(it) => Shape::Clause(ClauseNode::List(it)),
        NodeEnum::AStar(_) => Shape::Clause(ClauseNode::AStar),
        NodeEnum::AIndices(it) => Shape::Clause(ClauseNode::AIndices(it)),
        NodeEnum::String(it) => Shape::Clause(ClauseNode::String(it)),
        NodeEnum::LockingClause(it) => Shape::Clause(ClauseNode::LockingClause(it)),
        NodeEnum::JsonTableColumn(it) => Shape::Clause(ClauseNode::JsonTableColumn(it)),
        NodeEnum::JsonArgument(it) => Shape::Clause(ClauseNode::JsonArgument(it)),
        NodeEnum::JsonKeyValue(it) => Shape::Clause(ClauseNode::JsonKeyValue(it)),
        NodeEnum::JsonValueExpr(it) => Shape::Clause(ClauseNode::JsonValueExpr(it)),
        NodeEnum::ColumnDef(it) => Shape::Clause(ClauseNode::ColumnDef(it)),
        NodeEnum::IndexElem(it) => Shape::Clause(ClauseNode::IndexElem(it)),
        NodeEnum::ReturningOption(it) => Shape::Clause(ClauseNode::ReturningOption(it)),
        NodeEnum::InsertStmt(it) => Shape::Write(WriteNode::Insert(it)),
        NodeEnum::UpdateStmt(it) => Shape::Write(WriteNode::Update(it)),
        NodeEnum::DeleteStmt(it) => Shape::Write(WriteNode::Delete(it)),
        NodeEnum::MergeStmt(_) => Shape::Write(WriteNode::Merge),
        // FAIL-CLOSED: whatever else there is has no place in a SELECT, and whoever asks refuses it.
        NodeEnum::Alias(_)
        | NodeEnum::TableFunc(_)
        | NodeEnum::IntoClause(_)
        | NodeEnum::Var(_)
        | NodeEnum::Param(_)
        | NodeEnum::Aggref(_)
        | NodeEnum::WindowFunc(_)
        | NodeEnum::WindowFuncRunCondition(_)
        | NodeEnum::SubscriptingRef(_)
        | NodeEnum::FuncExpr(_)
        | NodeEnum::OpExpr(_)
        | NodeEnum::DistinctExpr(_)
        | NodeEnum::NullIfExpr(_)
        | NodeEnum::ScalarArrayOpExpr(_)
        | NodeEnum::SubPlan(_)
        | NodeEnum::AlternativeSubPlan(_)
        | NodeEnum::FieldSelect(_)
        | NodeEnum::FieldStore(_)
        | NodeEnum::RelabelType(_)
        | NodeEnum::CoerceViaIo(_)
        | NodeEnum::ArrayCoerceExpr(_)
        | NodeEnum::ConvertRowtypeExpr(_)
        | NodeEnum::CollateExpr(_)
        | NodeEnum::CaseTestExpr(_)
        | NodeEnum::ArrayExpr(_)
        | NodeEnum::RowCompareExpr(_)
        | NodeEnum::JsonFormat(_)
        | NodeEnum::JsonReturning(_)
        | NodeEnum::JsonConstructorExpr(_)
        | NodeEnum::JsonBehavior(_)
        | NodeEnum::JsonExpr(_)
        | NodeEnum::JsonTablePath(_)
        | NodeEnum::JsonTablePathScan(_)
        | NodeEnum::JsonTableSiblingJoin(_)
        | NodeEnum::MergeAction(_)
        | NodeEnum::CoerceToDomain(_)
        | NodeEnum::CoerceToDomainValue(_)
        | NodeEnum::NextValueExpr(_)
        | NodeEnum::InferenceElem(_)
        | NodeEnum::ReturningExpr(_)
        | NodeEnum::TargetEntry(_)
        | NodeEnum::RangeTblRef(_)
        | NodeEnum::FromExpr(_)
        | NodeEnum::OnConflictExpr(_)
        | NodeEnum::Query(_)
        | NodeEnum::TypeName(_)
        | NodeEnum::RoleSpec(_)
        | NodeEnum::RangeTableFuncCol(_)
        | NodeEnum::TableLikeClause(_)
        | NodeEnum::DefElem(_)
        | NodeEnum::PartitionElem(_)
        | NodeEnum::PartitionSpec(_)
        | NodeEnum::PartitionBoundSpec(_)
        | NodeEnum::PartitionRangeDatum(_)
        | NodeEnum::PartitionCmd(_)
        | NodeEnum::RangeTblEntry(_)
        | NodeEnum::RtepermissionInfo(_)
        | NodeEnum::RangeTblFunction(_)
        | NodeEnum::TableSampleClause(_)
        | NodeEnum::WithCheckOption(_)
        | NodeEnum::SortGroupClause(_)
        | NodeEnum::WindowClause(_)
        | NodeEnum::RowMarkClause(_)
        | NodeEnum::WithClause(_)
        | NodeEnum::InferClause(_)
        | NodeEnum::OnConflictClause(_)
        | NodeEnum::CtesearchClause(_)
        | NodeEnum::CtecycleClause(_)
        | NodeEnum::MergeWhenClause(_)
        | NodeEnum::ReturningClause(_)
        | NodeEnum::TriggerTransition(_)
        | NodeEnum::JsonOutput(_)
        | NodeEnum::JsonTablePathSpec(_)
        | NodeEnum::JsonAggConstructor(_)
        | NodeEnum::RawStmt(_)
        | NodeEnum::SetOperationStmt(_)
        | NodeEnum::ReturnStmt(_)
        | NodeEnum::PlassignStmt(_)
        | NodeEnum::CreateSchemaStmt(_)
        | NodeEnum::AlterTableStmt(_)
        | NodeEnum::AlterTableCmd(_)
        | NodeEnum::AtalterConstraint(_)
        | NodeEnum::ReplicaIdentityStmt(_)
        | NodeEnum::AlterCollationStmt(_)
        | NodeEnum::AlterDomainStmt(_)
        | NodeEnum::GrantStmt(_)
        | NodeEnum::ObjectWithArgs(_)
        | NodeEnum::AccessPriv(_)
        | NodeEnum::GrantRoleStmt(_)
        | NodeEnum::AlterDefaultPrivilegesStmt(_)
        | NodeEnum::CopyStmt(_)
        | NodeEnum::VariableSetStmt(_)
        | NodeEnum::VariableShowStmt(_)
        | NodeEnum::CreateStmt(_)
        | NodeEnum::Constraint(_)
        | NodeEnum::CreateTableSpaceStmt(_)
        | NodeEnum::DropTableSpaceStmt(_)
        | NodeEnum::AlterTableSpaceOptionsStmt(_)
        | NodeEnum::AlterTableMoveAllStmt(_)
        | NodeEnum::CreateExtensionStmt(_)
        | NodeEnum::AlterExtensionStmt(_)
        | NodeEnum::AlterExtensionContentsStmt(_)
        | NodeEnum::CreateFdwStmt(_)
        | NodeEnum::AlterFdwStmt(_)
        | NodeEnum::CreateForeignServerStmt(_)
        | NodeEnum::AlterForeignServerStmt(_)
        | NodeEnum::CreateForeignTableStmt(_)
        | NodeEnum::CreateUserMappingStmt(_)
        | NodeEnum::AlterUserMappingStmt(_)
        | NodeEnum::DropUserMappingStmt(_)
        | NodeEnum::ImportForeignSchemaStmt(_)
        | NodeEnum::CreatePolicyStmt(_)
        | NodeEnum::AlterPolicyStmt(_)
        | NodeEnum::CreateAmStmt(_)
        | NodeEnum::CreateTrigStmt(_)
        | NodeEnum::CreateEventTrigStmt(_)
        | NodeEnum::AlterEventTrigStmt(_)
        | NodeEnum::CreatePlangStmt(_)
        | NodeEnum::CreateRoleStmt(_)
        | NodeEnum::AlterRoleStmt(_)
        | NodeEnum::AlterRoleSetStmt(_)
        | NodeEnum::DropRoleStmt(_)
        | NodeEnum::CreateSeqStmt(_)
        | NodeEnum::AlterSeqStmt(_)
        | NodeEnum::DefineStmt(_)
        | NodeEnum::CreateDomainStmt(_)
        | NodeEnum::CreateOpClassStmt(_)
        | NodeEnum::CreateOpClassItem(_)
        | NodeEnum::CreateOpFamilyStmt(_)
        | NodeEnum::AlterOpFamilyStmt(_)
        | NodeEnum::DropStmt(_)
        | NodeEnum::TruncateStmt(_)
        | NodeEnum::CommentStmt(_)
        | NodeEnum::SecLabelStmt(_)
        | NodeEnum::DeclareCursorStmt(_)
        | NodeEnum::ClosePortalStmt(_)
        | NodeEnum::FetchStmt(_)
        | NodeEnum::IndexStmt(_)
        | NodeEnum::CreateStatsStmt(_)
        | NodeEnum::StatsElem(_)
        | NodeEnum::AlterStatsStmt(_)
        | NodeEnum::CreateFunctionStmt(_)
        | NodeEnum::FunctionParameter(_)
        | NodeEnum::AlterFunctionStmt(_)
        | NodeEnum::DoStmt(_)
        | NodeEnum::InlineCodeBlock(_)
        | NodeEnum::CallStmt(_)
        | NodeEnum::CallContext(_)
        | NodeEnum::RenameStmt(_)
        | NodeEnum::AlterObjectDependsStmt(_)
        | NodeEnum::AlterObjectSchemaStmt(_)
        | NodeEnum::AlterOwnerStmt(_)
        | NodeEnum::AlterOperatorStmt(_)
        | NodeEnum::AlterTypeStmt(_)
        | NodeEnum::RuleStmt(_)
        | NodeEnum::NotifyStmt(_)
        | NodeEnum::ListenStmt(_)
        | NodeEnum::UnlistenStmt(_)
        | NodeEnum::TransactionStmt(_)
        | NodeEnum::CompositeTypeStmt(_)
        | NodeEnum::CreateEnumStmt(_)
        | NodeEnum::CreateRangeStmt(_)
        | NodeEnum::AlterEnumStmt(_)
        | NodeEnum::ViewStmt(_)
        | NodeEnum::LoadStmt(_)
        | NodeEnum::CreatedbStmt(_)
        | NodeEnum::AlterDatabaseStmt(_)
        | NodeEnum::AlterDatabaseRefreshCollStmt(_)
        | NodeEnum::AlterDatabaseSetStmt(_)
        | NodeEnum::DropdbStmt(_)
        | NodeEnum::AlterSystemStmt(_)
        | NodeEnum::ClusterStmt(_)
        | NodeEnum::VacuumStmt(_)
        | NodeEnum::VacuumRelation(_)
        | NodeEnum::ExplainStmt(_)
        | NodeEnum::CreateTableAsStmt(_)
        | NodeEnum::RefreshMatViewStmt(_)
        | NodeEnum::CheckPointStmt(_)
        | NodeEnum::DiscardStmt(_)
        | NodeEnum::LockStmt(_)
        | NodeEnum::ConstraintsSetStmt(_)
        | NodeEnum::ReindexStmt(_)
        | NodeEnum::CreateConversionStmt(_)
        | NodeEnum::CreateCastStmt(_)
        | NodeEnum::CreateTransformStmt(_)
        | NodeEnum::PrepareStmt(_)
        | NodeEnum::ExecuteStmt(_)
        | NodeEnum::DeallocateStmt(_)
        | NodeEnum::DropOwnedStmt(_)
        | NodeEnum::ReassignOwnedStmt(_)
        | NodeEnum::AlterTsdictionaryStmt(_)
        | NodeEnum::AlterTsconfigurationStmt(_)
        | NodeEnum::PublicationTable(_)
        | NodeEnum::PublicationObjSpec(_)
        | NodeEnum::CreatePublicationStmt(_)
        | NodeEnum::AlterPublicationStmt(_)
        | NodeEnum::CreateSubscriptionStmt(_)
        | NodeEnum::AlterSubscriptionStmt(_)
        | NodeEnum::DropSubscriptionStmt(_)
        | NodeEnum::Integer(_)
        | NodeEnum::Float(_)
        | NodeEnum::Boolean(_)
        | NodeEnum::BitString(_)
        | NodeEnum::IntList(_)
        | NodeEnum::OidList(_) => Shape::Other,
    }
}

/// The expression that a node is; `None`: it is none.
pub fn expr_node(node: &pg::Node) -> Option<ExprNode<'_>> {
    match shape(node) {
        Shape::Expr(expr) => Some(expr),
        Shape::From(_) | Shape::Clause(_) | Shape::Write(_) | Shape::Other => None,
    }
}

/// The part of a clause that a node is; `None`: it is none.
pub fn clause_node(node: &pg::Node) -> Option<ClauseNode<'_>> {
    match shape(node) {
        Shape::Clause(clause) => Some(clause),
        Shape::Expr(_) | Shape::From(_) | Shape::Write(_) | Shape::Other => None,
    }
}

/// The query that a node is.
pub fn select(node: &pg::Node) -> Option<&pg::SelectStmt> {
    if let Some(ClauseNode::SelectStmt(select)) = clause_node(node) { Some(select) } else { None }
}

/// The members of a List node.
pub fn list(node: &pg::Node) -> Option<&[pg::Node]> {
    if let Some(ClauseNode::List(pg::List { items })) = clause_node(node) { Some(items) } else { None }
}

/// A name of one or two parts: its schema, where one is written, and the name.
pub fn qualified_name(parts: &[pg::Node]) -> Option<(Option<&str>, &str)> {
    match parts {
        [name] => Some((None, string(name)?)),
        [schema, name] => Some((Some(string(schema)?), string(name)?)),
        [..] => None,
    }
}

/// The parts of a name with dots between them, for a reason.
pub fn dotted(parts: &[pg::Node]) -> String {
    parts.iter().filter_map(string).collect::<Vec<_>>().join(".")
}

/// The text of a String node.
pub fn string(node: &pg::Node) -> Option<&str> {
    if let Some(ClauseNode::String(pg::String { sval })) = clause_node(node) { Some(sval) } else { None }
}
